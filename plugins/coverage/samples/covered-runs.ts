/**
 * Which bases of a chromosome a sample covers, at a few thresholds: runs of *depth classes*. The class of a base is the number
 * of thresholds that its depth reaches: with the thresholds 10 and 20, a depth of 15 is of class 1.
 *
 * Runs are stored as one varint each (length × classes + class, seven bits a byte, the lowest first), in blocks that do not
 * cross a multiple of `runWindow`: one position of many samples needs one small block of each. They are not compressed, since
 * inflating a small block takes longer than reading it. The nearer a threshold is to the mean depth, the more often the depth
 * crosses it, and the more there is to store.
 */
import { Fault } from '../../../core/plugin.js';
import { type Chromosome, checksumOf, type RunBlock } from '../contract.js';

/** Bases: a block does not cross a multiple of it. */
export const runWindow = 2 ** 21;

/** Bytes of a block. */
const blockBytes = 240_000;
/** Of one varint, for lengths of up to `runWindow` and classes below 2^6. */
const longestVarint = 4;

/** Collects the runs of one chromosome from its first base on. */
export class RunWriter {
  readonly #chromosome: Chromosome;
  readonly #classes: number;
  readonly #blocks: RunBlock[] = [];
  #buffer = new Uint8Array(blockBytes);
  #used = 0;
  /** First base of the block, and of the last run, which may continue. */
  #blockStart = 0;
  #runStart = 0;
  #end = 0;
  #last = 0;

  /** `thresholds` is their number. */
  constructor(chromosome: Chromosome, thresholds: number) {
    this.#chromosome = chromosome;
    this.#classes = thresholds + 1;
  }

  /** Adds the next bases. */
  add(length: number, depthClass: number): void {
    if (length <= 0) return;
    if (depthClass !== this.#last) this.#endRun();
    this.#last = depthClass;
    this.#end += length;
  }

  /** The blocks of all bases that were added. The writer must not be used afterwards. */
  blocks(): RunBlock[] {
    this.#endRun();
    this.#endBlock();
    return this.#blocks;
  }

  /** Writes the run, cut where windows end. */
  #endRun(): void {
    while (this.#runStart < this.#end) {
      const window = (Math.floor(this.#runStart / runWindow) + 1) * runWindow;
      const end = Math.min(this.#end, window);
      if (this.#used + longestVarint > blockBytes) this.#endBlock();
      let code = (end - this.#runStart) * this.#classes + this.#last;
      for (; code >= 128; code >>>= 7) this.#buffer[this.#used++] = (code & 127) | 128;
      this.#buffer[this.#used++] = code;
      this.#runStart = end;
      if (end === window) this.#endBlock();
    }
  }

  #endBlock(): void {
    if (this.#used === 0) return;
    const content = this.#buffer.slice(0, this.#used);
    const [start, end] = [this.#blockStart, this.#runStart];
    this.#blocks.push({ chromosome: this.#chromosome, start, end, checksum: checksumOf(content), content });
    this.#blockStart = end;
    this.#used = 0;
  }
}

/** The blocks of a sample in a window, in their order. */
export interface StoredRuns {
  blocks: readonly RunBlock[];
  /** The number of thresholds that they were written for. */
  thresholds: number;
  /** The class from which on bases count as covered. */
  least: number;
}

/**
 * The bases of a window from `start` to `end` that each of many samples covers: alternating starts and ends, ascending, as long as
 * possible. All lists share one piece of memory. Throws an `internal` fault if a block is damaged or missing.
 */
export function coveredIn(
  samples: readonly StoredRuns[],
  { start, end }: { start: number; end: number },
): Uint32Array[] {
  const ends: number[] = [];
  let used = 0;
  for (const { blocks, thresholds, least } of samples) {
    const first = used;
    let at = start;
    for (const block of blocks) {
      if (block.start !== at) throw damaged();
      // Each run has at least one byte.
      reserve(used, 2 * block.content.length);
      used = addCoveredRuns(block, thresholds + 1, least, first, used);
      at = block.end;
    }
    if (at !== end) throw damaged();
    ends.push(used);
  }
  const all = bounds.slice(0, used);
  if (bounds.length > mostReserved) bounds = new Uint32Array(1024);
  return ends.map((to, i) => all.subarray(ends[i - 1] ?? 0, to));
}

/** Adds those of a block to the `used` entries of `bounds`, of which its sample has those from `first` on; returns how many there are then. */
function addCoveredRuns(block: RunBlock, classes: number, least: number, first: number, used: number): number {
  const { content, checksum } = block;
  // The content may be another one than was stored.
  if (checksumOf(content) !== checksum) throw damaged();
  const found = bounds;
  const single = classes === 2;
  const { length } = content;
  let [count, at] = [used, block.start];
  let i = 0;
  while (i < length) {
    let code = content[i++] as number;
    if (code >= 128) {
      code &= 127;
      let byte = 128;
      for (let shift = 7; byte >= 128; shift += 7) {
        if (i === length) throw damaged();
        byte = content[i++] as number;
        code |= (byte & 127) << shift;
      }
    }
    const from = at;
    // Division takes longer than all else here.
    const bases = single ? code >>> 1 : (code / classes) | 0;
    at += bases;
    if (code - bases * classes < least) continue;
    if (count > first && found[count - 1] === from) found[count - 1] = at;
    else {
      found[count] = from;
      found[count + 1] = at;
      count += 2;
    }
  }
  if (at !== block.end) throw damaged();
  return count;
}

/** Used anew by each call of `coveredIn`: to allocate it takes longer than to fill it. */
let bounds = new Uint32Array(1024);
/** Entries that are kept for the next call. */
const mostReserved = 2 ** 22;

/** Makes room for more entries after those that are used. */
function reserve(used: number, more: number): void {
  if (bounds.length >= used + more) return;
  const before = bounds;
  bounds = new Uint32Array(2 * (used + more));
  bounds.set(before.subarray(0, used));
}

function damaged(): Fault {
  return new Fault('internal', 'Stored coverage of a sample is damaged: register the sample again');
}

/**
 * Adds the bases [start, end) to a writer. `below` has, for each threshold in ascending order, the runs of bases below it:
 * alternating starts and ends, ascending, inside [start, end).
 */
export function addClasses(
  writer: RunWriter,
  { start, end }: { start: number; end: number },
  below: readonly ArrayLike<number>[],
): void {
  const at = below.map(() => 0);
  for (let base = start; base < end; ) {
    let next = end;
    let depthClass = below.length;
    for (let k = below.length - 1; k >= 0; k--) {
      const runs = below[k] as ArrayLike<number>;
      let i = at[k] as number;
      while (i < runs.length && (runs[i + 1] as number) <= base) i += 2;
      at[k] = i;
      if (i >= runs.length) continue;
      const from = runs[i] as number;
      if (from > base) next = Math.min(next, from);
      else {
        next = Math.min(next, runs[i + 1] as number);
        depthClass = k;
      }
    }
    writer.add(next - base, depthClass);
    base = next;
  }
}
