/** Which terms of two patients match, and what each pair adds to the score. */
import { jsonOf, knownJson } from '../../../core/plugin.js';
import type { Ontology } from '../ontology/ontology.js';
import type { Information, Profile, Profiler } from './profile.js';

/** A term, named by the ontology in use. */
export interface NamedTerm {
  readonly id: string;
  readonly label: string;
}

export interface MatchedFeature {
  /** A term of the query, and the term of the patient that is most similar to it. */
  query: NamedTerm;
  patient: NamedTerm;
  /** The most informative common term: one of the two, or a common ancestor. */
  shared: NamedTerm & {
    /** −ln of the fraction of diseases that have it, in nats, to three decimals. */
    readonly information: number;
  };
  /** What the query's term adds to the score by all that the patient shares of it, apart from what terms before it added. */
  adds?: number;
}

/** To four decimals, like the scores on pages and in mails. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

type Compared = Pick<Profile, 'stated'>;

/** With one version of the resources. Names of terms are made once, and the same objects in all pairs. */
export class TermMatcher {
  readonly #ontology: Ontology;
  readonly #information: Information;
  readonly #named: (NamedTerm | undefined)[];
  readonly #shared: (MatchedFeature['shared'] | undefined)[];
  /** By term, in the round in which it was noted: a term of the patient that is it or descends from it. */
  readonly #bearers: Int32Array;
  readonly #borne: Uint32Array;
  /** By term: the round in which the patient states it, and that in which it was counted. */
  readonly #stated: Uint32Array;
  readonly #counted: Uint32Array;
  #round = 0;

  constructor({ resources: { ontology }, information }: Pick<Profiler, 'resources' | 'information'>) {
    this.#ontology = ontology;
    this.#information = information;
    this.#named = new Array(ontology.size).fill(undefined);
    this.#shared = new Array(ontology.size).fill(undefined);
    this.#bearers = new Int32Array(ontology.size);
    this.#borne = new Uint32Array(ontology.size);
    this.#stated = new Uint32Array(ontology.size);
    this.#counted = new Uint32Array(ontology.size);
  }

  /**
   * The best pair for each term of the query, most informative first, without pairs that share nothing; with what each adds
   * to the score if it is known what a unit of information adds.
   */
  pairs(query: Compared, patient: Compared, forInformation?: number): MatchedFeature[] {
    this.#note(patient);
    const round = this.#round;
    const pairs: { term: number; ancestor: number; information: number }[] = [];
    for (const term of query.stated) {
      const ancestor = this.#bestShared(term);
      if (ancestor >= 0) pairs.push({ term, ancestor, information: this.#ontology.information(ancestor) });
    }
    pairs.sort((one, other) => other.information - one.information);
    const texts: string[] = [];
    const features = pairs.map(({ term, ancestor }): MatchedFeature => {
      const named = {
        query: this.#name(term),
        patient: this.#name(this.#bearers[ancestor] as number),
        shared: this.#nameShared(ancestor),
      };
      const text = `"query":${jsonOf(named.query)},"patient":${jsonOf(named.patient)},"shared":${jsonOf(named.shared)}`;
      if (forInformation === undefined) {
        texts.push(`{${text}}`);
        return named;
      }
      const adds = rounded(this.#sharedOf(term, round) * forInformation);
      texts.push(`{${text},"adds":${adds}}`);
      return { ...named, adds };
    });
    return knownJson(features, `[${texts.join(',')}]`);
  }

  /** Of several terms below an ancestor the first bears it; a term that is stated bears itself. */
  #note({ stated }: Compared): void {
    if (++this.#round === 2 ** 32) {
      for (const noted of [this.#borne, this.#stated, this.#counted]) noted.fill(0);
      this.#round = 1;
    }
    const round = this.#round;
    const { terms, offsets } = this.#ontology.ancestorLists;
    for (const term of stated) {
      for (let i = offsets[term] as number; i < (offsets[term + 1] as number); i++) {
        const ancestor = terms[i] as number;
        if (this.#borne[ancestor] === round) continue;
        this.#borne[ancestor] = round;
        this.#bearers[ancestor] = term;
      }
    }
    for (const term of stated) {
      this.#bearers[term] = term;
      this.#stated[term] = round;
    }
  }

  /** The most informative ancestor of a term that the patient has; −1 if there is none. */
  #bestShared(term: number): number {
    const ontology = this.#ontology;
    const { terms, offsets } = ontology.ancestorLists;
    let best = -1;
    for (let i = offsets[term] as number; i < (offsets[term + 1] as number); i++) {
      const ancestor = terms[i] as number;
      if (this.#borne[ancestor] !== this.#round || ontology.information(ancestor) === 0) continue;
      if (best < 0 || isBetter(ontology, ancestor, best, term)) best = ancestor;
    }
    return best;
  }

  /** The information that both have by a term of the query, apart from what terms before it had. */
  #sharedOf(term: number, round: number): number {
    const { added, stated } = this.#information;
    const { terms, offsets } = this.#ontology.ancestorLists;
    let shared = this.#borne[term] === round ? (stated[term] as number) : 0;
    for (let i = offsets[term] as number; i < (offsets[term + 1] as number); i++) {
      const ancestor = terms[i] as number;
      if (this.#borne[ancestor] !== round || this.#counted[ancestor] === round) continue;
      this.#counted[ancestor] = round;
      shared += (added[ancestor] as number) + (this.#stated[ancestor] === round ? (stated[ancestor] as number) : 0);
    }
    return shared;
  }

  #name(term: number): NamedTerm {
    const named = this.#named[term] ?? { id: this.#ontology.id(term), label: this.#ontology.name(term) };
    this.#named[term] = named;
    return named;
  }

  #nameShared(term: number): MatchedFeature['shared'] {
    const information = Math.round(this.#ontology.information(term) * 1000) / 1000;
    const named = this.#shared[term] ?? { ...this.#name(term), information };
    this.#shared[term] = named;
    return named;
  }
}

/** Whether one has more information; with equal information, whether it is the term itself, or the more specific one. */
function isBetter(ontology: Ontology, one: number, other: number, term: number): boolean {
  const [mine, theirs] = [ontology.information(one), ontology.information(other)];
  if (mine !== theirs) return mine > theirs;
  return one === term || (other !== term && ontology.ancestors(one).includes(other));
}
