/** The lines of mosdepth's summary and of its cumulative distributions, collected chromosome by chromosome. */
import type { DepthCount } from '../../d4/index.js';
import { decimal } from './options.js';

/** What the regions of a chromosome add. */
export interface RegionDepths {
  /** The depths of all regions together; a base in two regions counts twice. */
  depths: readonly DepthCount[];
  /** What the distribution counts: bases by depth, or windows by their rounded mean. */
  counted: readonly DepthCount[];
}

/** Whether any base has depth: mosdepth knows whether a chromosome has reads, and writes less about one without. */
export function hasDepth(counts: readonly DepthCount[]): boolean {
  return counts.some(({ depth }) => depth > 0);
}

export class DepthSummary {
  readonly #precision: number;
  readonly #hasRegions: boolean;
  readonly #genome = new DepthStatistics();
  readonly #regions = new DepthStatistics();
  /** All that region distributions count. */
  readonly #counted = new DepthStatistics();
  #summary = 'chrom\tlength\tbases\tmean\tmin\tmax\n';
  #global = '';
  #region = '';
  #isFirst = true;

  constructor(precision: number, hasRegions: boolean) {
    this.#precision = precision;
    this.#hasRegions = hasRegions;
  }

  /** Adds a chromosome and its regions, in the order of the file. One without any depth is left out, as one without reads. */
  add(name: string, depths: readonly DepthCount[], regions: RegionDepths | undefined): void {
    if (!hasDepth(depths)) return;
    const precision = this.#precision;
    const own = new DepthStatistics(depths);
    this.#summary += own.summary(name, precision);
    this.#global += own.distribution(name, precision);
    this.#genome.add(depths);
    if (!regions) return;
    const inRegions = new DepthStatistics(regions.depths);
    // mosdepth begins with a least depth of 0, and forgets it after the first chromosome.
    const min = this.#isFirst ? 0 : inRegions.min;
    this.#isFirst = false;
    this.#summary += inRegions.summary(`${name}_region`, precision, min);
    this.#regions.add(regions.depths);
    this.#region += new DepthStatistics(regions.counted).distribution(name, precision);
    this.#counted.add(regions.counted);
  }

  finish(): { summary: string; global: string; region: string } {
    const precision = this.#precision;
    // The same beginning: the least depth of all together is always 0.
    let summary = this.#summary + this.#genome.summary('total', precision, 0);
    if (this.#hasRegions) summary += this.#regions.summary('total_region', precision, 0);
    return {
      summary,
      global: this.#global + this.#genome.distribution('total', precision),
      region: this.#region + this.#counted.distribution('total', precision),
    };
  }
}

// The bases of each depth, and the two texts that mosdepth makes of them: cumulative distributions and its summary.

/** Greater depths count as `cappedDepth` in distributions. */
const greatestDepth = 400_000;
const cappedDepth = greatestDepth - 10;
/** Up to this depth, depths of no base have a line too. */
const everyDepthUpTo = 300;
/** Depths that a smaller share of bases reaches have no line. */
const leastShare = 8e-5;

/** The depths of some bases. */
class DepthStatistics {
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
