/** Parses depth text: bedGraph, per-base BED and samtools depth. */
import { checkObject, checkWhole } from '../../chromosomes.js';
import { D4Error, type D4ErrorCode, refuse } from '../../error.js';
import { chromosomeList, type D4Chromosome } from '../../metadata.js';
import type { RunBatch } from '../../profile.js';

/** `bedgraph`: chromosome, begin, end, depth (zero-based half-open). `depth`: chromosome, position from 1, depth. */
export type TextFormat = 'bedgraph' | 'depth';

export interface TextOptions {
  /** If omitted, detected from the columns, and refused unless they are clearly those of a format. */
  format?: TextFormat | undefined;
  /** Index of the depth column in the output of `samtools depth` for several files, from 0. */
  column?: number | undefined;
  /** If given, no run may be of another chromosome or end after its end. */
  chromosomes?: readonly D4Chromosome[] | undefined;
  /** Whether a text without runs means that no base has depth. It is refused by default: what wrote it may have failed. */
  allowEmpty?: boolean | undefined;
  /** Whether a last line without a line end is read. It is refused by default, since it may be cut. */
  allowCut?: boolean | undefined;
  /** Names the text in errors. */
  place: string;
}

const formats: readonly TextFormat[] = ['bedgraph', 'depth'];

/** Bytes of the longest line; a longer one means that the file is not depth text. */
const maxLine = 65_536;
/** Most digits of a plain cell. */
const plainDigits = 10;
/** Runs per batch. */
const batchRuns = 8_192;
const newline = 10;
const carriage = 13;
const tab = 9;
const space = 32;
const hash = 35;
const minus = 45;
const zero = 48;
const nine = 57;
const byteOrderMark = Buffer.from('\uFEFF');

/**
 * Parses runs from text in chunks of bytes. Lines end with LF, CRLF or CR; those that are empty or begin with `#`,
 * `track` or `browser` are skipped, and so is a byte order mark.
 * Throws D4Error `invalid` or `unknown-chromosome` with the number of the line, also for runs that do not ascend.
 */
export async function* parseRuns(chunks: AsyncIterable<Uint8Array>, options: TextOptions): AsyncGenerator<RunBatch> {
  checkObject('options', options);
  if (!chunks || typeof chunks === 'string') refuse('chunks', 'a stream of bytes', chunks);
  const parser = new LineParser(options);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (!(chunk instanceof Uint8Array)) refuse('Each of chunks', 'bytes', chunk);
    const given =
      rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const marked = parser.isAtStart && given.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    if (parser.isAtStart && given[0] === 0x1f && given[1] === 0x8b) parser.failAfter('The text is gzipped');
    const bytes = withLineFeeds(given.subarray(marked ? byteOrderMark.length : 0));
    const end = bytes.lastIndexOf(newline) + 1;
    let from = 0;
    for (;;) {
      from = parser.plainLines(bytes, from, end);
      if (from === end) break;
      const to = bytes.indexOf(newline, from);
      const batch = parser.line(bytes, from, to);
      if (batch) yield batch;
      from = to + 1;
    }
    rest = bytes.subarray(from);
    if (rest.length > maxLine) parser.failAfter('The line is too long');
  }
  if (rest.length > 0) {
    const isCut = rest[rest.length - 1] !== carriage && rest.some((byte) => byte > space);
    if (isCut && !options.allowCut) {
      parser.failAfter(
        'The last line has no line end and may be cut: complete it, or use --allow-cut of d4 create (in the library: allowCut)',
      );
    }
    const batch = parser.line(rest, 0, rest.length);
    if (batch) yield batch;
  }
  if (!parser.hasRuns && !options.allowEmpty) {
    const message =
      'The file has no depths; --allow-empty of d4 create (in the library: allowEmpty) reads it as depth 0 everywhere';
    throw new D4Error('invalid', message, options.place);
  }
  parser.checkFormat();
  const last = parser.take();
  if (last) yield last;
}

class LineParser {
  readonly #options: TextOptions;
  #format: TextFormat | undefined;
  /** Whether the lines so far can be of no other format. */
  #isClear = true;
  #line = 0;
  #name = '';
  #nameBytes: Buffer = Buffer.alloc(0);
  #begins = new Float64Array(batchRuns);
  #ends = new Float64Array(batchRuns);
  #depths = new Float64Array(batchRuns);
  #count = 0;
  /** End of the last run, and the last base of its chromosome that a run may have. */
  #end = 0;
  #size = Number.POSITIVE_INFINITY;
  readonly #known = new Set<string>();
  /** Begins and ends of the fields of the line at hand. */
  readonly #fields: number[] = [];

  constructor(options: TextOptions) {
    const { format, column, chromosomes } = options;
    if (format !== undefined && !formats.includes(format)) refuse('format', `one of ${formats.join(', ')}`, format);
    if (column !== undefined) checkWhole('column', column, 0);
    if (chromosomes) chromosomeList(chromosomes, 'chromosomes');
    this.#options = options;
    this.#format = format;
  }

  /**
   * Parses whole lines as far as they are plain: of the chromosome at hand, cells of digits, one tab between them, and no
   * further cell. Returns the start of the first line that is not, or that does not fit the batch; at most `end`, which
   * follows a line end. Nearly all lines of nearly all files are plain, and this takes a tenth of the time of `line`.
   */
  plainLines(bytes: Uint8Array, start: number, end: number): number {
    if (this.#format === undefined || this.#options.column) return start;
    const isDepth = this.#format === 'depth';
    const name = this.#nameBytes;
    const nameLength = name.length;
    const [begins, ends, depths] = [this.#begins, this.#ends, this.#depths];
    const size = this.#size;
    let isClear = this.#isClear;
    let count = this.#count;
    let previous = this.#end;
    let from = start;
    lines: while (from < end && count < batchRuns) {
      let i = from;
      for (let k = 0; k < nameLength; k++, i++) if (bytes[i] !== name[k]) break lines;
      if (bytes[i++] !== tab) break;
      let cell = i;
      let first = 0;
      for (; isDigit(bytes[i] as number); i++) first = first * 10 + (bytes[i] as number) - zero;
      if (i === cell || i - cell > plainDigits || bytes[i++] !== tab) break;
      let last = first;
      if (isDepth) first--;
      else {
        cell = i;
        last = 0;
        for (; isDigit(bytes[i] as number); i++) last = last * 10 + (bytes[i] as number) - zero;
        if (i === cell || i - cell > plainDigits || bytes[i++] !== tab) break;
      }
      cell = i;
      let depth = 0;
      for (; isDigit(bytes[i] as number); i++) depth = depth * 10 + (bytes[i] as number) - zero;
      if (i === cell || i - cell > plainDigits || bytes[i++] !== newline) break;
      if (first < previous || last < first || last > size) break;
      begins[count] = first;
      ends[count] = last;
      depths[count] = depth;
      isClear ||= isPosition(first, depth, previous);
      previous = last;
      count++;
      from = i;
    }
    this.#isClear = isClear;
    this.#line += count - this.#count;
    this.#count = count;
    this.#end = previous;
    return from;
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
    if (this.#format === undefined) {
      this.#format = count === 3 ? 'depth' : 'bedgraph';
      this.#isClear = this.#format === 'bedgraph';
    }
    if (this.#options.format === undefined && count !== (this.#format === 'depth' ? 3 : 4)) {
      this.fail(
        `${count} columns may be of several formats: --format bedgraph reads the fourth as the depth, --format depth ` +
          'the output of samtools depth, with --column for one of several files (in the library: format, and column from 0)',
      );
    }
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
        this.#beginChromosome();
      }
    }
    this.#isClear ||= isPosition(begin, depth, isSame ? this.#end : 0);
    if (begin < this.#end) this.fail('Runs must ascend without overlap');
    if (end > this.#size) this.fail(`The run ends at ${end}, after the ${this.#size} bases of ${this.#name}`);
    this.#end = end;
    this.#begins[this.#count] = begin;
    this.#ends[this.#count] = end;
    this.#depths[this.#count] = depth;
    this.#count++;
    return batch;
  }

  #beginChromosome(): void {
    const name = this.#name;
    if (this.#known.has(name)) this.fail(`The runs of a chromosome must be contiguous; ${name} has ended before`);
    this.#known.add(name);
    this.#end = 0;
    const { chromosomes } = this.#options;
    if (!chromosomes) return;
    const size = chromosomes.find((chromosome) => chromosome.name === name)?.size;
    if (size === undefined) this.fail(`The genome has no chromosome ${name}`, 'unknown-chromosome');
    this.#size = size;
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

  /** Whether no line was parsed so far. */
  get isAtStart(): boolean {
    return this.#line === 0;
  }

  /** Throws D4Error `invalid` if the lines can be of another format. */
  checkFormat(): void {
    if (this.#isClear) return;
    const message =
      'Three columns may be positions with depths or, as here, regions without: --format depth reads them as the ' +
      'output of samtools depth (in the library: format)';
    throw new D4Error('invalid', message, this.#options.place);
  }

  /** Whether there was any run so far. */
  get hasRuns(): boolean {
    return this.#known.size > 0;
  }

  /** Fails because of the line after those that were parsed. */
  failAfter(message: string): never {
    this.#line++;
    this.fail(message);
  }

  fail(message: string, code: D4ErrorCode = 'invalid'): never {
    throw new D4Error(code, message, `${this.#options.place}: line ${this.#line}`);
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

/** The bytes with a line feed in place of each carriage return alone, which ends a line as well. */
function withLineFeeds(given: Buffer): Buffer {
  let bytes = given;
  // The last one may be half of a line end.
  for (let at = given.indexOf(carriage); at >= 0 && at < given.length - 1; at = given.indexOf(carriage, at + 1)) {
    if (given[at + 1] === newline) continue;
    if (bytes === given) bytes = Buffer.from(given);
    bytes[at] = newline;
  }
  return bytes;
}

/**
 * Whether a line of three columns has a position and a depth: they are not a region if they descend, and neither is one that begins
 * right after the one before. `begin` counts from 0, and `previous` is the last position of the chromosome, or 0.
 */
function isPosition(begin: number, depth: number, previous: number): boolean {
  return depth <= begin || (previous > 0 && begin === previous);
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine;
}

function isDirective(bytes: Buffer, from: number, to: number): boolean {
  const length = to - from;
  if (length !== 5 && length !== 7) return false;
  const word = bytes.toString('latin1', from, to);
  return word === 'track' || word === 'browser';
}
