/** Counts of patients: totals, and the number of patients for each distinct gene, variant or feature. */
import type { PatientFacts } from './keys.js';

/** Total and distinct count. */
export interface Tally {
  total: number;
  unique: number;
}

/** Counters of the store (mme-apis, metrics-api.md). */
export interface PatientCounts {
  cases: number;
  diagnosed: number;
  submitters: number;
  genes: Tally;
  variants: Tally;
  features: Tally;
  /** Distinct sets of features, without the empty set. */
  featureSets: number;
}

/** `number` of each, and `unique` for those whose distinct values are counted. */
export interface Totals {
  cases: number;
  diagnosed: number;
  number: Record<Kind, number>;
  unique: Record<Kind, number>;
}

export const kinds = ['submitter', 'gene', 'variant', 'feature', 'set'] as const;
export type Kind = (typeof kinds)[number];

const none = (): Record<Kind, number> => ({ submitter: 0, gene: 0, variant: 0, feature: 0, set: 0 });

/** The stored totals; all zero at first. */
export function totalsOf(stored: unknown): Totals {
  const { cases = 0, diagnosed = 0, number = {}, unique = {} } = stored as Partial<Totals>;
  return { cases, diagnosed, number: { ...none(), ...number }, unique: { ...none(), ...unique } };
}

/** `gene:ENSG…`: one row of the tally. */
export function kindOf(key: string): Kind {
  return key.slice(0, key.indexOf(':')) as Kind;
}

function* keysOf(facts: PatientFacts): Generator<string> {
  yield `submitter:${facts.submitter}`;
  for (const gene of facts.genes) yield `gene:${gene}`;
  for (const variant of facts.variants) yield `variant:${variant}`;
  for (const feature of facts.features) yield `feature:${feature}`;
  if (facts.featureSet !== undefined) yield `set:${facts.featureSet}`;
}

/** Changes of the totals and of the counts behind them, accumulated over many patients. */
export class TallyChange {
  readonly #totals: Totals;
  readonly keys = new Map<string, number>();

  constructor(totals: Totals) {
    this.#totals = totals;
  }

  /** `sign` 1 adds a patient, -1 removes it. */
  count(facts: PatientFacts, sign: 1 | -1): void {
    this.#totals.cases += sign;
    if (facts.diagnosed) this.#totals.diagnosed += sign;
    for (const key of keysOf(facts)) {
      this.#totals.number[kindOf(key)] += sign;
      this.keys.set(key, (this.keys.get(key) ?? 0) + sign);
    }
  }

  /** Applies the change of one key's count, given its previous value. */
  moved(key: string, before: number, after: number): void {
    this.#totals.unique[kindOf(key)] += Number(after > 0) - Number(before > 0);
  }
}

export function countsOf({ cases, diagnosed, number, unique }: Totals): PatientCounts {
  const tally = (kind: Kind) => ({ total: number[kind], unique: unique[kind] });
  return {
    cases,
    diagnosed,
    submitters: unique.submitter,
    genes: tally('gene'),
    variants: tally('variant'),
    features: tally('feature'),
    featureSets: unique.set,
  };
}
