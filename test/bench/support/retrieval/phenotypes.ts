/** Phenotypes of a query against those of all stored patients. */
import type { Information } from '../../../../plugins/matchmaker/matching/profile.js';
import { random } from '../vcf.js';
import { LatentTerms } from './lsa.js';

export interface Terms {
  /** With ancestors. */
  closure: Uint32Array;
  /** As submitted, each once. */
  own: readonly number[];
}

/** Of the likelihood of a term, the part that comes from the stored patient (the rest from all diseases). */
const fromPatient = 0.5;
const latentRank = 100;
/** seqr's value of a patient without terms. */
export const exactOfBare = 0.5;

export class Phenotypes {
  readonly #stored: readonly Terms[];
  readonly #sets: readonly ReadonlySet<number>[];
  readonly #information: Float64Array;
  readonly #ours: Information;
  readonly #postings = new Map<number, number[]>();
  /** As `#postings`, of terms as submitted. */
  readonly #stated = new Map<number, number[]>();
  readonly #masses: Float64Array;
  readonly #ourMasses: Float64Array;
  #latent: LatentTerms | undefined;

  /** Information in nats, and as our formula has it. */
  constructor(stored: readonly Terms[], information: Float64Array, ours: Information) {
    this.#stored = stored;
    this.#sets = stored.map(({ own }) => new Set(own));
    this.#information = information;
    this.#ours = ours;
    for (const [at, { closure, own }] of stored.entries()) {
      for (const term of closure) listed(this.#postings, term).push(at);
      for (const term of own) listed(this.#stated, term).push(at);
    }
    this.#masses = Float64Array.from(stored, ({ closure }) => sum(closure, information));
    this.#ourMasses = Float64Array.from(stored, (terms) => this.#ourMass(terms));
  }

  /** Shared information divided by that of all terms of both. */
  simGic({ closure }: Terms): Float64Array {
    const shared = new Float64Array(this.#stored.length);
    this.#add(shared, closure, this.#postings, this.#information);
    return ratio(shared, sum(closure, this.#information), this.#masses);
  }

  /** The same for our information. */
  ours(query: Terms): Float64Array {
    const { added, stated } = this.#ours;
    const shared = new Float64Array(this.#stored.length);
    this.#add(shared, query.closure, this.#postings, added);
    this.#add(shared, query.own, this.#postings, stated);
    this.#add(shared, query.closure, this.#stated, stated);
    return ratio(shared, this.#ourMass(query), this.#ourMasses);
  }

  #ourMass({ closure, own }: Terms): number {
    return sum(closure, this.#ours.added) + 2 * sum(own, this.#ours.stated);
  }

  #add(shared: Float64Array, terms: Iterable<number>, postings: Map<number, number[]>, weights: Float64Array): void {
    for (const term of terms) {
      for (const at of postings.get(term) ?? []) shared[at] = (shared[at] as number) + (weights[term] as number);
    }
  }

  /** seqr: the part of the query's own terms that a patient has; 0.5 for a patient without terms, at least 0.1. */
  exact({ own }: Terms): Float64Array {
    return Float64Array.from(this.#sets, (theirs) => {
      if (theirs.size === 0) return exactOfBare;
      return Math.max(0.1, own.filter((term) => theirs.has(term)).length / Math.max(1, own.length));
    });
  }

  /**
   * z(simGIC) + z(LR) + z(LSA). LR is the log-likelihood ratio of the query's terms, given a stored patient against the
   * annotated diseases in general (Jelinek-Mercer smoothing); LSA the cosine in the space of the 100 leading latent terms.
   */
  fused(query: Terms, simGic: Float64Array): Float64Array {
    this.#latent ??= new LatentTerms(
      this.#stored.map(({ closure }) => ({ terms: closure })),
      this.#information,
      latentRank,
      1,
    );
    const latent = standardized(this.#latent.cosines({ terms: query.closure }));
    const likelihood = standardized(this.#likelihood(query));
    return standardized(simGic).map((value, at) => value + (latent[at] as number) + (likelihood[at] as number));
  }

  #likelihood({ own }: Terms): Float64Array {
    const ratios = new Float64Array(this.#stored.length);
    for (const term of own) {
      const chance = Math.exp(-(this.#information[term] as number));
      const without = Math.log(1 - fromPatient);
      const gain = Math.log((fromPatient + (1 - fromPatient) * chance) / chance) - without;
      for (const at of this.#postings.get(term) ?? []) ratios[at] = (ratios[at] as number) + gain;
    }
    return ratios;
  }
}

function listed(lists: Map<number, number[]>, key: number): number[] {
  const known = lists.get(key);
  if (known) return known;
  const made: number[] = [];
  lists.set(key, made);
  return made;
}

function sum(terms: Iterable<number>, weights: Float64Array): number {
  let total = 0;
  for (const term of terms) total += weights[term] as number;
  return total;
}

function ratio(shared: Float64Array, own: number, masses: Float64Array): Float64Array {
  return shared.map((mass, at) => (mass === 0 ? 0 : mass / (own + (masses[at] as number) - mass)));
}

function standardized(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  return values.map((value) => (deviation === 0 ? 0 : (value - mean) / deviation));
}

/** The 95 % interval of the mean, by drawing the values anew. */
export function interval(values: readonly number[], seed: number, rounds = 2000): [low: number, high: number] {
  const next = random(seed);
  const means = Array.from({ length: rounds }, () => {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[Math.floor(next() * values.length)] as number;
    return sum / values.length;
  }).sort((one, other) => one - other);
  return [means[Math.floor(rounds * 0.025)] ?? Number.NaN, means[Math.ceil(rounds * 0.975) - 1] ?? Number.NaN];
}
