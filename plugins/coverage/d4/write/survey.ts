/** The first pass over runs: counts depths and finds the chromosomes, so that the second can write them well. */
import { D4Error } from '../error.js';
import { maxChromosomeSize } from '../limits.js';
import type { Chromosome } from '../metadata.js';
import type { RunBatch } from '../profile/runs.js';
import { ChromosomeOrder, RunFeed } from './feed.js';

/** Distinct depths that are counted; others are considered too rare for a dictionary. */
const maxDistinct = 2 ** 20;
/** Decimals that a depth may have; more would leave too few digits for the depth itself. */
const maxDecimals = 9;

/** The results of the first pass over the runs, from which the second chooses its layout. */
export class Survey {
  /** Chromosomes in the order of the runs; each ends with its last run. */
  readonly chromosomes: Chromosome[] = [];
  /** Number of runs by depth. */
  readonly runs = new Map<number, number>();
  /** Runs whose depth is not in `runs`. */
  uncounted = 0;
  /** Smallest power of ten that makes all depths whole numbers. */
  denominator = 1;
  least = 0;
  greatest = 0;
  /** Number of runs by depth, of the depths below its length that `runs` has: a map takes longer than all else. */
  readonly #small = new Float64Array(65_536);
  readonly #order = new ChromosomeOrder();
  #feed: RunFeed | undefined;

  add(batch: RunBatch): void {
    if (this.#order.begins(batch.chromosome) || !this.#feed) {
      this.finish();
      this.chromosomes.push({ name: batch.chromosome, size: 0 });
      this.#feed = new RunFeed(batch.chromosome, (_begin, _end, depth) => this.#count(depth));
    }
    this.#feed.add(batch);
  }

  finish(): void {
    const last = this.chromosomes.at(-1);
    if (!this.#feed || !last) return;
    this.#feed.finish(0);
    last.size = this.#feed.end;
    if (last.size > maxChromosomeSize) {
      throw new D4Error('invalid', `Positions must be below ${maxChromosomeSize}`, last.name);
    }
    this.#feed = undefined;
    for (const depth of this.runs.keys()) {
      const runs = this.#small[depth];
      if (runs) this.runs.set(depth, runs);
    }
  }

  #count(depth: number): void {
    const small = this.#small[depth];
    if (small) {
      this.#small[depth] = small + 1;
      return;
    }
    const known = this.runs.get(depth);
    if (known !== undefined) {
      this.runs.set(depth, known + 1);
      return;
    }
    this.least = Math.min(this.least, depth);
    this.greatest = Math.max(this.greatest, depth);
    while (!isWhole(depth * this.denominator) && this.denominator < 10 ** maxDecimals) this.denominator *= 10;
    if (this.runs.size < maxDistinct) {
      this.runs.set(depth, 1);
      // Other depths are not indexes, and have no effect.
      this.#small[depth] = 1;
    } else this.uncounted++;
  }
}

/** Whether the product of a decimal fraction and a power of ten is whole, apart from rounding. */
function isWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) <= Math.abs(value) * 2 ** -50;
}

/** The denominator that makes depths whole, or the largest smaller one with which they still fit 32 bits. */
export function chooseDenominator(survey: Survey): number {
  const largest = Math.max(-survey.least, survey.greatest);
  let denominator = survey.denominator;
  while (denominator > 1 && largest * denominator > 2 ** 31 - 1) denominator /= 10;
  if (largest * denominator > 2 ** 31 - 1) throw new D4Error('invalid', 'A depth does not fit 32 bits', `${largest}`);
  return denominator;
}
