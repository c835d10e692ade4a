/** Which terms of two patients match, and what each pair adds to the score. */
import { knownJson } from '../../../core/plugin.js';
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

/** Texts of 0.0000 … 1.0000: to find the shortest text of a fraction takes as long as the rest of a matched feature. */
const fractions: string[] = [];

function textOf(adds: number): string {
  const at = Math.round(adds * 10_000);
  if (!(at <= 10_000)) return String(adds);
  fractions[at] ??= String(adds);
  return fractions[at];
}

type Compared = Pick<Profile, 'stated'>;

/** A term as a member of matched features, with its JSON text. */
interface Member<Value> {
  value: Value;
  text: string;
}

/** With one version of the resources. Names of terms are made once, and the same objects and texts in all pairs. */
export class TermMatcher {
  readonly #ontology: Ontology;
  readonly #information: Information;
  /** By term: each as a term of the query or the patient, and as the common term. */
  readonly #named: (Member<NamedTerm> | undefined)[];
  readonly #shared: (Member<MatchedFeature['shared']> | undefined)[];
  /** Of each term itself, in nats. */
  readonly #nats: Float64Array;
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
    this.#nats = Float64Array.from({ length: ontology.size }, (_, term) => ontology.information(term));
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
      if (ancestor >= 0) pairs.push({ term, ancestor, information: this.#nats[ancestor] as number });
    }
    pairs.sort((one, other) => other.information - one.information);
    let text = '';
    const features = pairs.map(({ term, ancestor }): MatchedFeature => {
      const [mine, theirs] = [this.#name(term), this.#name(this.#bearers[ancestor] as number)];
      const common = this.#nameShared(ancestor);
      const pair = { query: mine.value, patient: theirs.value, shared: common.value };
      text += `${text === '' ? '' : ','}{"query":${mine.text},"patient":${theirs.text},"shared":${common.text}`;
      if (forInformation === undefined) {
        text += '}';
        return pair;
      }
      const adds = rounded(this.#sharedOf(term, round) * forInformation);
      text += `,"adds":${textOf(adds)}}`;
      return { ...pair, adds };
    });
    return knownJson(features, `[${text}]`);
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
    const { terms, offsets } = this.#ontology.ancestorLists;
    const [borne, nats, round] = [this.#borne, this.#nats, this.#round];
    let [best, most] = [-1, 0];
    const end = offsets[term + 1] as number;
    for (let i = offsets[term] as number; i < end; i++) {
      const ancestor = terms[i] as number;
      if (borne[ancestor] !== round) continue;
      const information = nats[ancestor] as number;
      if (information > most || (information === most && best >= 0 && this.#isCloser(ancestor, best, term))) {
        best = ancestor;
        most = information;
      }
    }
    return best;
  }

  /** Of two ancestors with equal information, whether the first is the term itself, or the more specific one. */
  #isCloser(one: number, other: number, term: number): boolean {
    return one === term || (other !== term && this.#ontology.ancestors(one).includes(other));
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

  #name(term: number): Member<NamedTerm> {
    const known = this.#named[term];
    if (known !== undefined) return known;
    const named = memberOf({ id: this.#ontology.id(term), label: this.#ontology.name(term) });
    this.#named[term] = named;
    return named;
  }

  #nameShared(term: number): Member<MatchedFeature['shared']> {
    const known = this.#shared[term];
    if (known !== undefined) return known;
    const information = Math.round((this.#nats[term] as number) * 1000) / 1000;
    const shared = memberOf({ ...this.#name(term).value, information });
    this.#shared[term] = shared;
    return shared;
  }
}

function memberOf<Value>(value: Value): Member<Value> {
  return { value, text: JSON.stringify(value) };
}
