/** Parses depth text: bedGraph, per-base BED and samtools depth. */
import { D4Error } from '../error.js';
import type { RunBatch } from '../profile/runs.js';

/** `bedgraph`: chromosome, begin, end, depth (zero-based half-open). `depth`: chromosome, position from 1, depth. */
export type TextFormat = 'bedgraph' | 'depth';

export interface TextOptions {
  /** If omitted, detected from the number of columns of the first line. */
  format?: TextFormat | undefined;
  /** Index of the depth column in the output of `samtools depth` for several files, from 0. */
  column?: number | undefined;
  /** Names the text in errors. */
  place: string;
}

/** Bytes of the longest line; a longer one means that the file is not depth text. */
const maxLine = 65_536;
/** Runs per batch. */
const batchRuns = 8_192;
const [newline, carriage, tab, space, hash, minus, zero, nine] = [10, 13, 9, 32, 35, 45, 48, 57];

/**
 * Parses runs from text in chunks of bytes. Lines that are empty or begin with `#`, `track` or `browser` are skipped.
 * Throws D4Error `invalid` with the number of the line.
 */
export async function* parseRuns(chunks: AsyncIterable<Uint8Array>, options: TextOptions): AsyncGenerator<RunBatch> {
  const parser = new LineParser(options);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes =
      rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let from = 0;
    for (let to = bytes.indexOf(newline); to >= 0; to = bytes.indexOf(newline, from)) {
      const batch = parser.line(bytes, from, to);
      if (batch) yield batch;
      from = to + 1;
    }
    rest = bytes.subarray(from);
    if (rest.length > maxLine) parser.fail('The line is too long');
  }
  if (rest.length > 0) {
    const batch = parser.line(rest, 0, rest.length);
    if (batch) yield batch;
  }
  const last = parser.take();
  if (last) yield last;
}

class LineParser {
  readonly #options: TextOptions;
  #format: TextFormat | undefined;
  #line = 0;
  #name = '';
  #nameBytes: Buffer = Buffer.alloc(0);
  #begins = new Float64Array(batchRuns);
  #ends = new Float64Array(batchRuns);
  #depths = new Float64Array(batchRuns);
  #count = 0;
  /** Begins and ends of the fields of the line at hand. */
  readonly #fields: number[] = [];

  constructor(options: TextOptions) {
    this.#options = options;
    this.#format = options.format;
  }

  /** Parses one line. Returns the previous runs if they fill a batch, or if another chromosome begins. */
  line(bytes: Buffer, from: number, lineEnd: number): RunBatch | undefined {
    this.#line++;
    const to = lineEnd > from && bytes[lineEnd - 1] === carriage ? lineEnd - 1 : lineEnd;
    if (to === from || bytes[from] === hash) return undefined;
    const fields = this.#split(bytes, from, to);
    const count = fields.length / 2;
    const nameEnd = fields[1] as number;
    if (count < 3) {
      if (/^\s*$|^(track|browser)\b/.test(bytes.toString('latin1', from, to))) return undefined;
      this.fail('Three or four columns are needed');
    }
    if (isDirective(bytes, from, nameEnd)) return undefined;
    this.#format ??= count === 3 ? 'depth' : 'bedgraph';
    const isDepth = this.#format === 'depth';
    const column = isDepth ? 2 + (this.#options.column ?? 0) : 3;
    if (column >= count) this.fail(`Column ${column + 1} is missing`);
    const first = this.#integer(bytes, fields[2] as number, fields[3] as number);
    const end = isDepth ? first : this.#integer(bytes, fields[4] as number, fields[5] as number);
    const begin = isDepth ? first - 1 : first;
    if (begin < 0 || end < begin) this.fail('Positions must ascend from 0 (from 1 in samtools depth)');
    const depth = this.#number(bytes, fields[2 * column] as number, fields[2 * column + 1] as number);
    const isSame = this.#nameBytes.equals(bytes.subarray(from, nameEnd));
    let batch: RunBatch | undefined;
    if (!isSame || this.#count === batchRuns) {
      batch = this.take();
      if (!isSame) {
        this.#nameBytes = Buffer.from(bytes.subarray(from, nameEnd));
        this.#name = this.#nameBytes.toString();
      }
    }
    this.#begins[this.#count] = begin;
    this.#ends[this.#count] = end;
    this.#depths[this.#count] = depth;
    this.#count++;
    return batch;
  }

  /** Removes and returns the runs so far, all of one chromosome. */
  take(): RunBatch | undefined {
    if (this.#count === 0) return undefined;
    const count = this.#count;
    this.#count = 0;
    return {
      chromosome: this.#name,
      begins: this.#begins.slice(0, count),
      ends: this.#ends.slice(0, count),
      depths: this.#depths.slice(0, count),
    };
  }

  fail(message: string): never {
    throw new D4Error('invalid', message, `${this.#options.place}: line ${this.#line}`);
  }

  #split(bytes: Buffer, from: number, to: number): readonly number[] {
    const fields = this.#fields;
    fields.length = 0;
    for (let i = from; i < to; ) {
      while (i < to && (bytes[i] === tab || bytes[i] === space)) i++;
      if (i === to) break;
      fields.push(i);
      while (i < to && bytes[i] !== tab && bytes[i] !== space) i++;
      fields.push(i);
    }
    return fields;
  }

  #integer(bytes: Buffer, from: number, to: number): number {
    let value = 0;
    for (let i = from; i < to; i++) {
      const byte = bytes[i] as number;
      if (byte < zero || byte > nine || to - from > 10) this.fail('A position must be a whole number');
      value = value * 10 + byte - zero;
    }
    return value;
  }

  #number(bytes: Buffer, from: number, to: number): number {
    let value = 0;
    let i = bytes[from] === minus ? from + 1 : from;
    for (; i < to && to - from <= 15; i++) {
      const byte = bytes[i] as number;
      if (byte < zero || byte > nine) break;
      value = value * 10 + byte - zero;
    }
    if (i === to && i > from) return bytes[from] === minus ? -value : value;
    const text = bytes.toString('latin1', from, to);
    const parsed = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
    if (!Number.isFinite(parsed)) this.fail(`${JSON.stringify(text)} is no depth`);
    return parsed;
  }
}

function isDirective(bytes: Buffer, from: number, to: number): boolean {
  const length = to - from;
  if (length !== 5 && length !== 7) return false;
  const word = bytes.toString('latin1', from, to);
  return word === 'track' || word === 'browser';
}
