/** The values of several targets together: a gene's, or a panel's. */
import type { TargetValues } from '../cohorts/values.js';
import type { Depths } from '../domain/measure.js';
import type { OwnFigures } from './target-comparison.js';

/** Adds up targets that share no base; exact, as each value is a count or a sum of depths over a length. */
export class Sums {
  #length = 0;
  #isOfOneSex = false;
  /** Targets without values. */
  #missing = 0;
  readonly #sums: Float64Array;
  readonly #reached: Float64Array;
  #hasReached = true;

  constructor(samples: number) {
    this.#sums = new Float64Array(samples);
    this.#reached = new Float64Array(samples);
  }

  get isOfOneSex(): boolean {
    return this.#isOfOneSex;
  }

  add(values: TargetValues | undefined, isOfOneSex: boolean): void {
    this.#isOfOneSex ||= isOfOneSex;
    if (values === undefined) {
      this.#missing += 1;
      return;
    }
    const { length, means, reached } = values;
    const [shares] = reached;
    this.#hasReached &&= shares !== undefined;
    this.#length += length;
    for (let i = 0; i < means.length; i++) {
      this.#sums[i] = (this.#sums[i] as number) + (means[i] as number) * length;
      if (shares !== undefined) this.#reached[i] = (this.#reached[i] as number) + (shares[i] as number);
    }
  }

  /** Undefined unless all targets have values and together have as many bases as `length`: then some share bases. */
  values(length: number): Pick<TargetValues, 'length' | 'means' | 'reached'> | undefined {
    if (this.#missing > 0 || this.#length !== length || length === 0) return undefined;
    return {
      length,
      means: this.#sums.map((sum) => sum / length),
      reached: this.#hasReached ? [this.#reached] : [],
    };
  }
}

/** The sample's own figures of targets that share no base. */
export function ownSums(all: readonly (Depths | undefined)[], level: number, median: number | undefined): OwnFigures {
  let [sum, reached, length] = [0, 0, 0];
  for (const depths of all) {
    if (depths === undefined) continue;
    sum += depths.sum;
    reached += depths.reached[level] ?? 0;
    length += depths.length;
  }
  return { mean: length === 0 ? 0 : sum / length, reached, median };
}
