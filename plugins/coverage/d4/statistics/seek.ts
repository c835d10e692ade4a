/** Finds the runs of bases below or above a threshold during a sweep. */
import { decode, eachRecord } from '../decode.js';
import type { Dictionary } from '../dictionary.js';
import { D4Error } from '../error.js';
import { type Kernel, unpackCodes } from '../kernel/kernel.js';
import type { RecordBlock } from '../secondary/block.js';

/** The bases to find, by depth in the file's own unit. */
export type DepthTest = { below: number } | { atLeast: number };

/** The same in stored integers, with the limits of the runs to find. */
export interface Search {
  threshold: number;
  below: boolean;
  /** Shorter runs are ignored. */
  minLength: number;
  /** Set for a part of a piece: its first and last run may continue in the next part, so they are kept however short. */
  partial?: boolean;
  /** Most runs of all pieces together. */
  most: number;
}

/** Runs of one piece: alternating begins and ends, ascending, as long as possible. */
export type PieceRuns = Uint32Array;

const none: PieceRuns = new Uint32Array(0);

/** The runs of piece `k`; none for an interval without bases, which has index −1. */
export function runsAt(runs: readonly PieceRuns[], k: number): PieceRuns {
  return runs[k] ?? none;
}

/** Finds the runs of bases that pass a test, piece by piece, during a sweep. */
export class Seeker {
  readonly #dictionary: Dictionary;
  readonly #search: Search;
  readonly #kernel: Kernel;
  readonly #place: string;
  readonly #growing = new Map<number, number[]>();
  readonly #values = new Int32Array(unpackCodes);
  #found = 0;

  /** `place` names the file in the error for too many runs. */
  constructor(dictionary: Dictionary, search: Search, kernel: Kernel, place: string) {
    this.#dictionary = dictionary;
    this.#search = search;
    this.#kernel = kernel;
    this.#place = place;
  }

  /** Searches [begin, end) of a piece, which continues the part before. `origin` is the first base of the window. */
  add(piece: number, records: readonly RecordBlock[], origin: number, begin: number, end: number): void {
    let runs = this.#growing.get(piece);
    if (!runs) {
      runs = [];
      this.#growing.set(piece, runs);
    }
    if (this.#dictionary.width === 0) this.#addSparse(runs, records, begin, end);
    else for (let at = begin; at < end; at += unpackCodes) this.#addCodes(runs, records, origin, at, end);
  }

  /** Returns the runs of a piece, after its last bases. */
  finish(piece: number): PieceRuns {
    const runs = this.#growing.get(piece);
    this.#growing.delete(piece);
    if (!runs) return none;
    if (!this.#search.partial) this.#dropShort(runs);
    return runs.length === 0 ? none : Uint32Array.from(runs);
  }

  #addCodes(runs: number[], records: readonly RecordBlock[], origin: number, begin: number, limit: number): void {
    const values = this.#values.subarray(0, Math.min(unpackCodes, limit - begin));
    decode(this.#dictionary, records, this.#kernel, begin - origin, begin, values);
    const { threshold, below } = this.#search;
    const { length } = values;
    let i = 0;
    while (i < length) {
      while (i < length && (values[i] as number) < threshold !== below) i++;
      const from = i;
      while (i < length && (values[i] as number) < threshold === below) i++;
      if (i > from) this.#extend(runs, begin + from, begin + i);
    }
  }

  /** Without primary codes there are only records, and nothing to do for each base. */
  #addSparse(runs: number[], records: readonly RecordBlock[], begin: number, end: number): void {
    const { fallback } = this.#dictionary;
    let at = begin;
    for (const block of records) {
      eachRecord(block, Math.max(begin, block.floor), Math.min(end, block.ceiling), (from, to, value) => {
        if (at < from && this.#passes(fallback)) this.#extend(runs, at, from);
        if (this.#passes(value)) this.#extend(runs, from, to);
        at = to;
      });
    }
    if (at < end && this.#passes(fallback)) this.#extend(runs, at, end);
  }

  #passes(value: number): boolean {
    return value < this.#search.threshold === this.#search.below;
  }

  #extend(runs: number[], begin: number, end: number): void {
    const last = runs.length - 1;
    if (runs[last] === begin) {
      runs[last] = end;
      return;
    }
    this.#dropShort(runs);
    checkNumber(++this.#found, this.#search.most, this.#place);
    runs.push(begin, end);
  }

  /** Removes the last run, which has ended, if it is too short. */
  #dropShort(runs: number[]): void {
    if (this.#search.partial && runs.length === 2) return;
    if (dropShort(runs, this.#search.minLength)) this.#found--;
  }
}

/** Throws D4Error `invalid` if there are more runs than the caller accepts. */
export function checkNumber(found: number, most: number, place: string): void {
  if (found > most) throw new D4Error('invalid', `More than ${most} runs were found`, place);
}

/** Joins the runs of the parts of one piece, given in any order. */
export function joinRuns(parts: readonly PieceRuns[], minLength: number): PieceRuns {
  const joined: number[] = [];
  const ordered = parts.filter(({ length }) => length > 0).sort((a, b) => (a[0] as number) - (b[0] as number));
  for (const part of ordered) {
    for (let i = 0; i < part.length; i += 2) {
      const [begin, end] = [part[i] as number, part[i + 1] as number];
      if (joined.at(-1) === begin) joined[joined.length - 1] = end;
      else {
        dropShort(joined, minLength);
        joined.push(begin, end);
      }
    }
  }
  dropShort(joined, minLength);
  return joined.length === 0 ? none : Uint32Array.from(joined);
}

function dropShort(runs: number[], minLength: number): boolean {
  const { length } = runs;
  if (length === 0 || (runs[length - 1] as number) - (runs[length - 2] as number) >= minLength) return false;
  runs.length = length - 2;
  return true;
}
