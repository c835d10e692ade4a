/** Adds up sums, counts and histograms of pieces from codes and records, without looking at each base. */
import type { Dictionary } from '../dictionary.js';
import { type Kernel, maxThresholds, unpackCodes } from '../kernel/kernel.js';
import { maxSimdWidth } from '../kernel/simd-source.js';
import {
  firstBeginningFrom,
  firstEndingAfter,
  type RecordBlock,
  recordBegin,
  recordLength,
  recordValue,
  sumAbove,
} from '../secondary/block.js';
import { ascending, type Histogram } from './histogram.js';

/** What a sweep counts, in stored integers. */
export interface Measure {
  /** Counts are of bases whose stored integer is at least this. */
  thresholds: readonly number[];
  histogram: boolean;
}

/** The sums and counts of a sweep, by piece. */
export interface Totals {
  sums: Float64Array;
  /** One count per threshold. Corrections may make them wrap below zero temporarily. */
  counts: Uint32Array;
}

/** Counts of one piece while it is swept. */
interface Bins {
  /** By code; undefined for short pieces with wide codes, which are counted by value. */
  codes: Float64Array | undefined;
  values: Map<number, number>;
  /** Bases under records, all of which were counted as the dictionary's fallback. */
  covered: number;
}

/** Pieces shorter than this count wide codes by value: clearing and reading 65,536 bins would take longer. */
const shortPiece = 65_536;

/**
 * Adds up pieces. Every statistic is additive over bases, so it is taken from the codes alone, in one pass without looking at each
 * base, and then corrected under the records: there all codes are the mask, and were counted as the fallback.
 */
export class Tally {
  readonly #totals: Totals;
  readonly #dictionary: Dictionary;
  readonly #measure: Measure;
  readonly #kernel: Kernel;
  readonly #bins = new Map<number, Bins>();
  readonly #spare: Float64Array[] = [];
  /** Whether the fallback reaches each threshold. */
  readonly #fallbackReaches: readonly number[];
  /** Thresholds between the dictionary's values, in groups as large as the kernel takes. */
  readonly #groups: { codes: number[]; columns: number[] }[] = [];
  /** Thresholds that every code reaches. */
  readonly #always: number[] = [];
  readonly #scratch = new Float64Array(maxThresholds);
  /** Set if codes cannot be summed as numbers: then the value of each is. */
  readonly #byValue: boolean;

  constructor(totals: Totals, dictionary: Dictionary, measure: Measure, kernel: Kernel) {
    const { thresholds } = measure;
    this.#totals = totals;
    this.#dictionary = dictionary;
    this.#measure = measure;
    this.#kernel = kernel;
    this.#fallbackReaches = thresholds.map((threshold) => (dictionary.fallback >= threshold ? 1 : 0));
    const { low, mask } = dictionary;
    this.#byValue = low === undefined || measure.histogram;
    thresholds.forEach((threshold, column) => {
      const code = threshold - (low ?? 0);
      if (code <= 0) this.#always.push(column);
      else if (code <= mask) {
        let group = this.#groups.at(-1);
        if (!group || group.codes.length === maxThresholds) {
          group = { codes: [], columns: [] };
          this.#groups.push(group);
        }
        group.codes.push(code);
        group.columns.push(column);
      }
    });
  }

  /** To be called before the first codes of a piece. */
  begin(piece: number, bases: number): void {
    if (!this.#byValue) return;
    const { width, mask } = this.#dictionary;
    const codes =
      width > maxSimdWidth && bases < shortPiece ? undefined : (this.#spare.pop() ?? new Float64Array(mask + 1));
    this.#bins.set(piece, { codes, values: new Map(), covered: 0 });
  }

  /** Adds codes [first, first + count) of the window; for width 0, `count` times the only value. */
  addCodes(piece: number, first: number, count: number): void {
    const { width, low, values } = this.#dictionary;
    const bins = this.#bins.get(piece);
    if (bins) this.#addBins(bins, first, count);
    else if (width === 0) {
      this.#addSum(piece, count * (values[0] as number));
      for (const column of this.#always) this.#addCount(piece, column, count);
    } else {
      const total =
        this.#groups.length > 0 ? this.#addThresholds(piece, first, count) : this.#kernel.sum(width, first, count);
      this.#addSum(piece, total + count * (low as number));
      for (const column of this.#always) this.#addCount(piece, column, count);
    }
  }

  #addThresholds(piece: number, first: number, count: number): number {
    let total = 0;
    const scratch = this.#scratch;
    for (const { codes, columns } of this.#groups) {
      scratch.fill(0);
      total = this.#kernel.counts(this.#dictionary.width, first, count, codes, scratch, 0);
      for (let i = 0; i < columns.length; i++) this.#addCount(piece, columns[i] as number, scratch[i] as number);
    }
    return total;
  }

  #addBins(bins: Bins, first: number, count: number): void {
    const { width, values } = this.#dictionary;
    if (width === 0) {
      const codes = bins.codes as Float64Array;
      codes[0] = (codes[0] as number) + count;
    } else if (bins.codes) this.#kernel.histogram(width, first, count, bins.codes);
    else {
      for (let from = 0; from < count; from += unpackCodes) {
        for (const code of this.#kernel.unpack(width, first + from, Math.min(unpackCodes, count - from))) {
          raise(bins.values, values[code] as number, 1);
        }
      }
    }
  }

  /** Corrects [begin, end) of a piece by the records of a block. */
  addRecords(piece: number, block: RecordBlock, begin: number, end: number): void {
    const from = Math.max(begin, block.floor);
    const to = Math.min(end, block.ceiling);
    const { words } = block;
    const first = firstEndingAfter(block, from);
    const last = firstBeginningFrom(block, to);
    if (first >= last) return;
    const bins = this.#bins.get(piece);
    // Whole records first; then the bases beyond either end are subtracted.
    if (bins || this.#measure.thresholds.length > 0) {
      for (let i = first; i < last; i++) this.#addRecord(piece, bins, recordValue(words, i), recordLength(words, i));
    } else this.#addSum(piece, sumAbove(words, first, last, this.#dictionary.fallback));
    const before = from - recordBegin(words, first);
    if (before > 0) this.#addRecord(piece, bins, recordValue(words, first), -before);
    const after = recordBegin(words, last - 1) + recordLength(words, last - 1) - to;
    if (after > 0) this.#addRecord(piece, bins, recordValue(words, last - 1), -after);
  }

  #addRecord(piece: number, bins: Bins | undefined, value: number, bases: number): void {
    if (bins) {
      bins.covered += bases;
      raise(bins.values, value, bases);
      return;
    }
    const { thresholds } = this.#measure;
    this.#addSum(piece, bases * (value - this.#dictionary.fallback));
    for (let t = 0; t < thresholds.length; t++) {
      const change = (value >= (thresholds[t] as number) ? 1 : 0) - (this.#fallbackReaches[t] as number);
      if (change !== 0) this.#addCount(piece, t, change * bases);
    }
  }

  /** Returns the histogram of a piece after its last codes, if one is counted. */
  finish(piece: number): Histogram | undefined {
    const bins = this.#bins.get(piece);
    if (!bins) return undefined;
    this.#bins.delete(piece);
    const { values, fallback } = this.#dictionary;
    bins.codes?.forEach((count, code) => {
      if (count !== 0) raise(bins.values, values[code] as number, count);
    });
    if (bins.codes) this.#spare.push(bins.codes.fill(0));
    if (bins.covered > 0) raise(bins.values, fallback, -bins.covered);
    const { thresholds, histogram } = this.#measure;
    for (const [value, count] of bins.values) {
      this.#addSum(piece, value * count);
      thresholds.forEach((threshold, column) => {
        if (value >= threshold) this.#addCount(piece, column, count);
      });
    }
    return histogram ? ascending(bins.values) : undefined;
  }

  #addSum(piece: number, by: number): void {
    const { sums } = this.#totals;
    sums[piece] = (sums[piece] as number) + by;
  }

  #addCount(piece: number, column: number, by: number): void {
    const at = piece * this.#measure.thresholds.length + column;
    const { counts } = this.#totals;
    counts[at] = (counts[at] as number) + by;
  }
}

function raise(counted: Map<number, number>, value: number, by: number): void {
  counted.set(value, (counted.get(value) ?? 0) + by);
}
