/** Adds up sums, counts and histograms of pieces from codes and records, without looking at each base. */
import { type Kernel, maxThresholds, unpackCodes } from '../kernel/kernel.js';
import { maxSimdWidth } from '../kernel/simd-source.js';
import type { Dictionary } from '../metadata.js';
import {
  firstBeginningFrom,
  firstEndingAfter,
  type RecordBlock,
  recordBegin,
  recordLength,
  recordValue,
  sumAbove,
  valueRange,
} from '../secondary/records.js';

/** What a sweep counts, in stored integers. */
export interface TallyRequest {
  /** Whether to add up depths. */
  sums: boolean;
  /** Counts are of bases whose stored integer is at least this. */
  thresholds: readonly number[];
  histogram: boolean;
  /** One histogram of all pieces together; sums, counts and histograms of each are not needed. */
  pooled: boolean;
}

/** The sums and counts of a sweep, by piece. */
export interface SweepTotals {
  sums: Float64Array;
  /** One count per threshold. Corrections may make them wrap below zero temporarily. */
  counts: Uint32Array;
}

/** Pieces shorter than this count wide codes by value: clearing and reading 65,536 bins would take longer. */
const shortPiece = 65_536;

/**
 * Adds up pieces. Every statistic is additive over bases, so it is taken from the codes alone, in one pass without looking at each
 * base, and then corrected under the records: there all codes are the mask, and were counted as the fallback.
 */
export class SweepTally {
  readonly #totals: SweepTotals;
  readonly #dictionary: Dictionary;
  readonly #measure: TallyRequest;
  readonly #kernel: Kernel;
  /** Of each piece that is being swept, if values are counted. */
  readonly #counted = new Map<number, ValueCounts>();
  readonly #spare: ValueCounts[] = [];
  readonly #pooled: ValueCounts | undefined;
  /** Whether the fallback reaches each threshold. */
  readonly #fallbackReaches: readonly number[];
  /** Thresholds between the dictionary's values, in groups as large as the kernel takes. */
  readonly #groups: { codes: number[]; columns: number[] }[] = [];
  /** Thresholds that every code reaches. */
  readonly #always: number[] = [];
  readonly #scratch = new Float64Array(maxThresholds);
  /** Set if codes cannot be summed as numbers: then the value of each is. */
  readonly #byValue: boolean;

  constructor(totals: SweepTotals, dictionary: Dictionary, measure: TallyRequest, kernel: Kernel) {
    const { thresholds } = measure;
    this.#totals = totals;
    this.#dictionary = dictionary;
    this.#measure = measure;
    this.#kernel = kernel;
    this.#fallbackReaches = thresholds.map((threshold) => (dictionary.fallback >= threshold ? 1 : 0));
    this.#pooled = measure.pooled ? new ValueCounts(dictionary, kernel, { byCode: true }) : undefined;
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
    if (this.#pooled || !this.#byValue) return;
    const byCode = this.#dictionary.width <= maxSimdWidth || bases >= shortPiece;
    const spare = byCode ? this.#spare.pop() : undefined;
    this.#counted.set(piece, spare ?? new ValueCounts(this.#dictionary, this.#kernel, { byCode }));
  }

  /** Adds codes [first, first + count) of the window; for width 0, `count` times the only value. */
  addCodes(piece: number, first: number, count: number): void {
    const { width, low } = this.#dictionary;
    const counted = this.#countedOf(piece);
    if (counted) counted.addCodes(first, count);
    else {
      if (this.#measure.sums) {
        const total = width === 0 ? 0 : this.#kernel.sum(width, first, count);
        this.#addSum(piece, total + count * (low as number));
      }
      this.#addThresholds(piece, first, count);
      for (const column of this.#always) this.#addCount(piece, column, count);
    }
  }

  #addThresholds(piece: number, first: number, count: number): void {
    const scratch = this.#scratch;
    for (const { codes, columns } of this.#groups) {
      scratch.fill(0);
      this.#kernel.counts(this.#dictionary.width, first, count, codes, scratch);
      for (let i = 0; i < columns.length; i++) this.#addCount(piece, columns[i] as number, scratch[i] as number);
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
    const counted = this.#countedOf(piece);
    const { sums, thresholds } = this.#measure;
    // Whole records first; then the bases beyond either end are subtracted.
    if (counted || (thresholds.length > 0 && this.#differ(valueRange(words, first, last)))) {
      for (let i = first; i < last; i++) this.#addRecord(piece, counted, recordValue(words, i), recordLength(words, i));
    } else if (sums) this.#addSum(piece, sumAbove(words, first, last, this.#dictionary.fallback));
    const before = from - recordBegin(words, first);
    if (before > 0) this.#addRecord(piece, counted, recordValue(words, first), -before);
    const after = recordBegin(words, last - 1) + recordLength(words, last - 1) - to;
    if (after > 0) this.#addRecord(piece, counted, recordValue(words, last - 1), -after);
  }

  /** Whether values in this range are on the other side of a threshold than the fallback, as which they were counted. */
  #differ({ least, greatest }: { least: number; greatest: number }): boolean {
    const { fallback } = this.#dictionary;
    const [low, high] = [Math.min(least, fallback), Math.max(greatest, fallback)];
    return this.#measure.thresholds.some((threshold) => low < threshold && threshold <= high);
  }

  #addRecord(piece: number, counted: ValueCounts | undefined, value: number, bases: number): void {
    if (counted) {
      counted.addRecord(value, bases);
      return;
    }
    const { sums, thresholds } = this.#measure;
    if (sums) this.#addSum(piece, bases * (value - this.#dictionary.fallback));
    for (let t = 0; t < thresholds.length; t++) {
      const change = (value >= (thresholds[t] as number) ? 1 : 0) - (this.#fallbackReaches[t] as number);
      if (change !== 0) this.#addCount(piece, t, change * bases);
    }
  }

  /** Returns the histogram of a piece after its last codes, if one is counted. */
  finish(piece: number): Histogram | undefined {
    const counted = this.#counted.get(piece);
    if (!counted) return undefined;
    this.#counted.delete(piece);
    const found = counted.take();
    if (counted.byCode) this.#spare.push(counted);
    const { sums, thresholds, histogram } = this.#measure;
    const { values, counts } = found;
    for (let i = 0; i < values.length; i++) {
      const [value, count] = [values[i] as number, counts[i] as number];
      if (sums) this.#addSum(piece, value * count);
      for (let column = 0; column < thresholds.length; column++) {
        if (value >= (thresholds[column] as number)) this.#addCount(piece, column, count);
      }
    }
    return histogram ? found : undefined;
  }

  /** Returns the histogram of all pieces together after the last one, if it is counted. */
  finishPooled(): Histogram | undefined {
    return this.#pooled?.take();
  }

  #countedOf(piece: number): ValueCounts | undefined {
    return this.#pooled ?? this.#counted.get(piece);
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

// Counts bases by value, for one piece or for all of them together.

/** The counts of some bases by value. Empty again once they are taken. */
class ValueCounts {
  readonly #dictionary: Dictionary;
  readonly #kernel: Kernel;
  /** By code; undefined if all bases are counted by value. */
  readonly #codes: Float64Array | undefined;
  readonly #values = new Map<number, number>();
  /** Bases under records, all of which were counted as the dictionary's fallback. */
  #covered = 0;

  constructor(dictionary: Dictionary, kernel: Kernel, { byCode }: { byCode: boolean }) {
    this.#dictionary = dictionary;
    this.#kernel = kernel;
    this.#codes = byCode ? new Float64Array(dictionary.mask + 1) : undefined;
  }

  /** Whether codes are counted, and their values looked up at the end. */
  get byCode(): boolean {
    return this.#codes !== undefined;
  }

  /** Adds codes [first, first + count) of the window; for width 0, `count` times the only value. */
  addCodes(first: number, count: number): void {
    const { width, values } = this.#dictionary;
    const codes = this.#codes;
    if (width === 0) this.#add(values[0] as number, count);
    else if (codes) this.#kernel.histogram(width, first, count, codes);
    else {
      for (let from = 0; from < count; from += unpackCodes) {
        for (const code of this.#kernel.unpack(width, first + from, Math.min(unpackCodes, count - from))) {
          this.#add(values[code] as number, 1);
        }
      }
    }
  }

  /** Corrects the counts by a record of this many bases; fewer than none subtract what was added before. */
  addRecord(value: number, bases: number): void {
    this.#covered += bases;
    this.#add(value, bases);
  }

  /** Returns the counts, and begins with none again. */
  take(): Histogram {
    const { low } = this.#dictionary;
    // Most pieces have no record: their codes are in order already.
    const inOrder = this.#codes && low !== undefined && this.#values.size === 0;
    const found = inOrder ? histogramOf(this.#codes, low) : this.#byValue();
    this.#codes?.fill(0);
    return found;
  }

  #byValue(): Histogram {
    const { values, fallback } = this.#dictionary;
    const codes = this.#codes;
    for (let code = 0; codes !== undefined && code < codes.length; code++) {
      const count = codes[code] as number;
      if (count !== 0) this.#add(values[code] as number, count);
    }
    if (this.#covered > 0) this.#add(fallback, -this.#covered);
    const found = ascending(this.#values);
    this.#values.clear();
    this.#covered = 0;
    return found;
  }

  #add(value: number, bases: number): void {
    this.#values.set(value, (this.#values.get(value) ?? 0) + bases);
  }
}

/** The histogram of codes whose values ascend by one from `low`. */
function histogramOf(codes: Float64Array, low: number): Histogram {
  let length = 0;
  for (let code = 0; code < codes.length; code++) if (codes[code] !== 0) length++;
  const [values, counts] = [new Int32Array(length), new Float64Array(length)];
  let at = 0;
  for (let code = 0; at < length; code++) {
    const count = codes[code] as number;
    if (count === 0) continue;
    values[at] = low + code;
    counts[at++] = count;
  }
  return { values, counts };
}

// Histograms of stored integers, and percentiles from them.

/** The number of bases of each stored integer, ascending by value, without zero counts. */
export interface Histogram {
  values: Int32Array;
  counts: Float64Array;
}

/** A histogram from counts by value. */
function ascending(counted: ReadonlyMap<number, number>): Histogram {
  let length = 0;
  for (const count of counted.values()) if (count !== 0) length++;
  const [values, counts] = [new Int32Array(length), new Float64Array(length)];
  let filled = 0;
  let isSorted = true;
  for (const [value, count] of counted) {
    if (count === 0) continue;
    if (filled > 0 && value < (values[filled - 1] as number)) isSorted = false;
    values[filled++] = value;
  }
  // Typed arrays are sorted by number, without calls of a function; most pieces have few values.
  if (!isSorted) values.sort();
  for (let i = 0; i < length; i++) counts[i] = counted.get(values[i] as number) as number;
  return { values, counts };
}

/** Adds up the histograms of parts. */
export function merge(parts: readonly Histogram[]): Histogram {
  const counted = new Map<number, number>();
  for (const { values, counts } of parts) {
    values.forEach((value, i) => {
      counted.set(value, (counted.get(value) ?? 0) + (counts[i] as number));
    });
  }
  return ascending(counted);
}

/**
 * A percentile of the stored values: linear between the two closest ranks, so that 50 is the median as commonly defined (the
 * mean of the two middle values of an even number). Undefined if there are no bases.
 */
export function percentile({ values, counts }: Histogram, percent: number): number | undefined {
  const bases = counts.reduce((sum, count) => sum + count, 0);
  if (bases === 0) return undefined;
  const rank = ((bases - 1) * percent) / 100;
  const whole = Math.floor(rank);
  const lower = at(whole);
  return rank === whole ? lower : lower + (rank - whole) * (at(whole + 1) - lower);

  function at(position: number): number {
    let seen = 0;
    let i = 0;
    while (i < counts.length - 1 && seen + (counts[i] as number) <= position) seen += counts[i++] as number;
    return values[i] as number;
  }
}
