/**
 * What a verification finds, how an operator accepts it, and one part of it: whether behind each pseudonym there still is its
 * name, or an entry that says why not.
 */
import type { AuditKeys, EntryContent } from './chain.js';
import type { AuditRepository, ChainedEntry } from './contract.js';

/** Something that is wrong, as a sentence without names. */
export interface AuditFinding {
  /** Undefined if it is about all of them. */
  chain?: string;
  /** The first entry that is concerned; undefined if it is about the chain. */
  sequence?: number;
  message: string;
}

/** The entry by which an operator accepts what a verification found, so that later ones report only what is new. */
export const acceptance = 'audit.accept';

/** What an acceptance is about: only holders of the key can name a finding. */
export function findingName({ chain, sequence, message }: AuditFinding, keys: AuditKeys): string {
  return `finding:${keys.questionDigest(JSON.stringify([chain ?? null, sequence ?? null, message]))}`;
}

// Verifies who entries name: that behind each pseudonym there still is its name, or an entry that says why not.

/** Names that are remembered as verified, so that one in many entries is not read for each. */
const mostVerified = 100_000;
const portion = 1000;

type NamedContent = EntryContent & Pick<ChainedEntry, 'chain' | 'sequence'>;
type EntryPlace = Pick<ChainedEntry, 'chain' | 'sequence'>;

export class People {
  readonly #repository: Pick<AuditRepository, 'named'>;
  readonly #keys: AuditKeys;
  readonly #verified = new Set<string>();
  /** Pseudonyms without a name, with the first entry that has each. */
  readonly #missing = new Map<string, EntryPlace>();
  /** Of which the stored name is not theirs. */
  readonly #changed = new Map<string, EntryPlace>();
  /** Pseudonyms whose names were taken out, with the entry that says so. */
  readonly #forgotten = new Map<string, EntryPlace>();

  constructor(repository: Pick<AuditRepository, 'named'>, keys: AuditKeys) {
    this.#repository = repository;
    this.#keys = keys;
  }

  /** Looks up whom these entries name. */
  async meet(contents: readonly NamedContent[]): Promise<void> {
    if (this.#verified.size > mostVerified) this.#verified.clear();
    const fresh = new Map<string, EntryPlace>();
    for (const { chain, sequence, actor, about } of contents) {
      for (const name of [actor, ...about]) {
        const place = { chain, sequence };
        const [, forgotten] = /^forgotten:([0-9a-f]{32})$/.exec(name) ?? [];
        if (forgotten !== undefined) this.#forgotten.set(forgotten, place);
        else if (isPseudonym(name) && !this.#isMet(name) && !fresh.has(name)) fresh.set(name, place);
      }
    }
    const wrong = new Map(fresh);
    for (const person of await this.#repository.named([...fresh.keys()])) {
      const { pseudonym } = person;
      const place = fresh.get(pseudonym);
      wrong.delete(pseudonym);
      if (this.#keys.nameOf(person) !== undefined) this.#verified.add(pseudonym);
      else if (place) this.#changed.set(pseudonym, place);
    }
    for (const [pseudonym, place] of wrong) this.#missing.set(pseudonym, place);
  }

  #isMet(pseudonym: string): boolean {
    return this.#verified.has(pseudonym) || this.#missing.has(pseudonym) || this.#changed.has(pseudonym);
  }

  /** Once all entries were met. `lacksNames`: whether names are missing that no entry explains. */
  async findings(): Promise<{ findings: AuditFinding[]; lacksNames: boolean }> {
    const told = (
      places: Iterable<[string, EntryPlace]>,
      message: (place: EntryPlace, as: string) => string,
    ): AuditFinding[] =>
      [...places].map(([pseudonym, place]) => ({ ...place, message: message(place, pseudonym.slice(0, 8)) }));
    const unexplained = [...this.#missing].filter(([pseudonym]) => !this.#forgotten.has(pseudonym));
    const back = await this.#cameBack();
    return {
      findings: [
        ...told(
          unexplained,
          ({ sequence }, as) => `The entry ${sequence} names ${as}, whose name is missing, and no entry says why`,
        ),
        ...told(this.#changed, ({ sequence }, as) => `The entry ${sequence} names ${as}, whose name was changed`),
        ...told(
          back,
          ({ sequence }, as) =>
            `The name of ${as} is back, which the entry ${sequence} says was taken out: repeat that`,
        ),
      ],
      lacksNames: unexplained.length > 0,
    };
  }

  async #cameBack(): Promise<[string, EntryPlace][]> {
    const all = [...this.#forgotten.keys()];
    const back: [string, EntryPlace][] = [];
    for (let i = 0; i < all.length; i += portion) {
      for (const { pseudonym } of await this.#repository.named(all.slice(i, i + portion))) {
        const place = this.#forgotten.get(pseudonym);
        if (place) back.push([pseudonym, place]);
      }
    }
    return back;
  }
}

function isPseudonym(name: string): boolean {
  return /^[0-9a-f]{32}$/.test(name);
}
