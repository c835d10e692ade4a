/** The lines of the summary and of the distributions, collected chromosome by chromosome. */
import type { DepthCount } from '../d4/index.js';
import { DepthStatistics } from './distribution.js';

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

export class Report {
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
