/** The bases of each depth, and the two texts that mosdepth makes of them: cumulative distributions and its summary. */
import type { DepthCount } from '../d4/index.js';
import { decimal } from './decimal.js';

/** Greater depths count as `cappedDepth` in distributions. */
const greatestDepth = 400_000;
const cappedDepth = greatestDepth - 10;
/** Up to this depth, depths of no base have a line too. */
const everyDepthUpTo = 300;
/** Depths that a smaller share of bases reaches have no line. */
const leastShare = 8e-5;

/** The depths of some bases. */
export class DepthStatistics {
  bases = 0;
  /** Sum of depths. */
  sum = 0;
  max = 0;
  #least = Number.POSITIVE_INFINITY;
  readonly #counts = new Map<number, number>();

  constructor(counts: readonly DepthCount[] = []) {
    this.add(counts);
  }

  add(counts: readonly DepthCount[]): void {
    for (const { depth, bases } of counts) {
      this.#counts.set(depth, (this.#counts.get(depth) ?? 0) + bases);
      this.bases += bases;
      this.sum += depth * bases;
      this.#least = Math.min(this.#least, depth);
      this.max = Math.max(this.max, depth);
    }
  }

  /** The least depth; 0 if there are no bases. */
  get min(): number {
    return this.bases === 0 ? 0 : this.#least;
  }

  /** The lines of a cumulative distribution: name, depth and the share of bases with at least this depth, descending. */
  distribution(name: string, precision: number): string {
    const counts = new Map<number, number>();
    for (const [depth, bases] of this.#counts) {
      const own = depth > greatestDepth ? cappedDepth : depth;
      counts.set(own, (counts.get(own) ?? 0) + bases);
    }
    const depths = new Set(counts.keys());
    if (this.bases > 0) for (let depth = 0; depth <= Math.min(everyDepthUpTo, this.max); depth++) depths.add(depth);
    let text = '';
    let share = 0;
    // The order of these additions decides the last digit.
    for (const depth of [...depths].sort((a, b) => b - a)) {
      share += (counts.get(depth) ?? 0) / this.bases;
      if (share >= leastShare) text += `${name}\t${depth}\t${decimal(share, precision)}\n`;
    }
    return text;
  }

  /** A line of the summary. */
  summary(name: string, precision: number, min = this.min): string {
    const mean = this.bases === 0 ? 0 : this.sum / this.bases;
    return `${[name, this.bases, this.sum, decimal(mean, precision), min, this.max].join('\t')}\n`;
  }
}
