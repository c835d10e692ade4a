/** Verifies the chains of the audit: that no entry was changed, removed, added or moved since it was written. */

import { contentOf, hashOf, originOf } from './chain.js';
import type { Checkpoint } from './checkpoint.js';
import type { AuditChain, AuditRepository, ChainedEntry, Link } from './contract.js';
import type { AuditKeys } from './keys.js';

const pageSize = 1000;

/** Something that is wrong, as a sentence without names. */
export interface Finding {
  chain: string;
  /** The first entry that is concerned; undefined if it is about the chain. */
  sequence?: number;
  message: string;
}

export interface Verification {
  chains: number;
  entries: number;
  findings: Finding[];
  /** The heads of the chains, for the next verification. */
  heads: (Link & { chain: string })[];
}

/** Where a chain must have stood, since something outside it says so. */
interface Witness extends Link {
  by: string;
}

interface Options {
  repository: Pick<AuditRepository, 'chains' | 'links' | 'entries'>;
  keys: AuditKeys;
  /** Where the chains stood at an earlier verification. */
  checkpoint?: Checkpoint | undefined;
  /** Called with the number of entries verified so far. */
  progress?(entries: number): void;
}

export async function verifyAudit({ repository, keys, checkpoint, progress }: Options): Promise<Verification> {
  // Heads first: what is appended meanwhile comes after them.
  const chains = await repository.chains();
  const findings: Finding[] = [];
  const witnesses = new Map<string, Witness[]>();
  const witness = (chain: string, one: Witness) => witnesses.set(chain, [...(witnesses.get(chain) ?? []), one]);
  for (const { id, previous } of chains) {
    if (previous) witness(previous.chain, { ...previous, by: `the chain ${id}, which began after it,` });
  }
  for (const { chain, ...link } of checkpoint?.heads ?? []) witness(chain, { ...link, by: 'the checkpoint' });
  const known = new Set(chains.map(({ id }) => id));
  for (const [chain, [first]] of witnesses) {
    if (!known.has(chain)) findings.push({ chain, message: `The chain is missing: ${first?.by} names it` });
  }
  let entries = 0;
  for (const chain of chains) {
    const walk = new Walk(chain, { repository, keys, witnesses: witnesses.get(chain.id) ?? [] });
    await walk.run((count) => progress?.(entries + count));
    entries += walk.count;
    findings.push(...walk.findings);
  }
  return {
    chains: chains.length,
    entries,
    findings,
    heads: chains.map(({ id, head }) => ({ chain: id, ...linkOf(head) })),
  };
}

function linkOf({ sequence, hash }: Link): Link {
  return { sequence, hash };
}

interface WalkOptions extends Pick<Options, 'repository' | 'keys'> {
  witnesses: readonly Witness[];
}

/** One walk along a chain, from its base to its head. */
class Walk {
  readonly findings: Finding[] = [];
  count = 0;
  #last: Link;
  readonly #chain: AuditChain;
  readonly #options: WalkOptions;

  constructor(chain: AuditChain, options: WalkOptions) {
    this.#chain = chain;
    this.#options = options;
    this.#last = chain.base;
  }

  async run(progress: (count: number) => void): Promise<void> {
    const { id, base, head } = this.#chain;
    this.#checkEnds();
    this.#checkWitnesses(base);
    while (this.#last.sequence < head.sequence) {
      const page = await this.#options.repository.links(id, this.#last.sequence, pageSize);
      const upTo = page.filter(({ sequence }) => sequence <= head.sequence);
      if (upTo.length === 0) break;
      for (const entry of upTo) this.#step(entry);
      await this.#checkIndex(upTo);
      progress(this.count);
    }
    await this.#checkEnd();
  }

  #find(message: string, sequence?: number): void {
    this.findings.push({ chain: this.#chain.id, ...(sequence !== undefined && { sequence }), message });
  }

  #checkEnds(): void {
    const { keys } = this.#options;
    const { base, head } = this.#chain;
    if (base.sequence === 0 && base.hash !== originOf(this.#chain).hash)
      this.#find('The beginning of the chain was changed');
    if (!keys.isSealed(this.#chain, 'base', base)) this.#find('The seal of its beginning is not of this key');
    if (!keys.isSealed(this.#chain, 'head', head)) this.#find('The seal of its end is not of this key');
  }

  #step(entry: ChainedEntry): void {
    const expected = this.#last.sequence + 1;
    const { sequence } = entry;
    if (sequence > expected) this.#missing(expected, sequence - 1);
    else if (hashOf(this.#last.hash, entry.body) !== entry.hash) {
      this.#find(`The entry ${sequence} was changed, or the one before it`, sequence);
    }
    if (!saysWhatItsBodySays(entry)) this.#find(`What the entry ${sequence} is found by was changed`, sequence);
    this.#last = linkOf(entry);
    this.#checkWitnesses(entry);
    this.count += 1;
  }

  #missing(from: number, to: number): void {
    this.#find(from === to ? `The entry ${from} is missing` : `The entries ${from} to ${to} are missing`, from);
  }

  #checkWitnesses({ sequence, hash }: Link): void {
    for (const witness of this.#options.witnesses) {
      if (witness.sequence !== sequence || witness.hash === hash) continue;
      this.#find(`The chain was written anew: ${witness.by} knows another entry ${sequence}`, sequence);
    }
  }

  /** Whether each entry is found by whom it is about: an index could have lost it. */
  async #checkIndex(page: readonly ChainedEntry[]): Promise<void> {
    const sought = page.filter(({ about }) => about.length > 0);
    const times = sought.map(({ at }) => at.getTime()).filter((time) => !Number.isNaN(time));
    if (times.length === 0) return;
    const selection = {
      about: [...new Set(sought.flatMap(({ about }) => about))],
      from: new Date(Math.min(...times)),
      before: new Date(Math.max(...times) + 1),
      limit: pageSize,
    };
    const found = new Set<number>();
    for (let after: ChainedEntry | undefined; ; ) {
      const entries = await this.#options.repository.entries({ ...selection, after });
      for (const { chain, sequence } of entries) if (chain === this.#chain.id) found.add(sequence);
      after = entries.at(-1);
      if (entries.length < pageSize) break;
    }
    for (const { sequence } of sought) {
      if (!found.has(sequence)) this.#find(`The entry ${sequence} is not found by what it is about`, sequence);
    }
  }

  async #checkEnd(): Promise<void> {
    const { id, head } = this.#chain;
    const { repository, witnesses } = this.#options;
    if (this.#last.sequence < head.sequence) this.#missing(this.#last.sequence + 1, head.sequence);
    else if (this.#last.hash !== head.hash) this.#find('The end of the chain was changed', head.sequence);
    for (const { sequence, by } of witnesses) {
      if (sequence > head.sequence)
        this.#find(`The entries up to ${sequence} are missing: ${by} knows them`, head.sequence + 1);
    }
    const [next] = await repository.links(id, head.sequence, 1);
    if (next === undefined) return;
    const moved = (await repository.chains()).find((chain) => chain.id === id);
    if ((moved?.head.sequence ?? 0) <= head.sequence) {
      this.#find('There are entries after the end of the chain', next.sequence);
    }
  }
}

function saysWhatItsBodySays({ chain, sequence, at, actor, about, body }: ChainedEntry): boolean {
  const content = contentOf(body);
  return (
    content !== undefined &&
    content.chain === chain &&
    content.sequence === sequence &&
    content.at.getTime() === at.getTime() &&
    content.actor === actor &&
    JSON.stringify(content.about) === JSON.stringify(about)
  );
}
