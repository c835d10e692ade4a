/**
 * The one reader of BED files, and of lists of chromosomes with their sizes, for the server and all commands. Lines end with LF, CRLF
 * or CR; a byte order mark, gzip and bgzip are understood. Columns are separated by tabs or, in a line without tabs, by spaces, and
 * those after the fourth are not read. Blank lines, comments (`#`), `track` and `browser` lines are left out, and so are the names of
 * columns before the first region.
 */
import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { Fault } from '../fault.js';
import { openSource, type Source } from './source.js';
import { eachLine, failedDownload, fileFault, notText, quoted, type TextFile } from './text-file.js';

/** A line of a BED file, zero-based half-open. Each has at least one base. */
export interface BedLine {
  chromosome: string;
  start: number;
  end: number;
  /** The fourth column, if there is one. */
  name?: string;
  /** Number of the line in the file, from 1. */
  line: number;
}

export interface BedLimits {
  intervals: number;
  /** Bytes of text. */
  bytes: number;
}

/** The greatest position that a D4 file can have. */
const farthest = 2 ** 32 - 1;
/** Lines that are read before other work of the process gets its turn. */
const linesAtOnce = 20_000;
/** Bytes of text that a command reads. */
const mostBytes = 2 ** 31 - 1;
const unlimited: BedLimits = { intervals: Number.POSITIVE_INFINITY, bytes: mostBytes };

/**
 * The regions, in order. Throws `unprocessable` faults that name file, line and column for a line that is not a region, and if there
 * is none; `too-large` faults for the limits.
 */
export async function readBed(source: Source, limits: BedLimits = unlimited): Promise<Bed> {
  const { name } = source;
  const text = await bytesOf(source, limits.bytes);
  const other = notText(text);
  if (other !== undefined) throw new Fault('unprocessable', `${name} is ${other}`);
  const parser = new BedParser(name, text, limits.intervals);
  while (parser.read(linesAtOnce)) await setImmediate();
  const bed = parser.finish();
  if (bed.length === 0) throw fileFault(name, 'it has no regions');
  return bed;
}

/** Reads a file that an operator names, or standard input for `-`. */
export async function readBedFile(path: string): Promise<Bed> {
  return readBed(await openSource(path));
}

async function bytesOf(source: Source, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of source.chunks()) {
    length += chunk.length;
    if (length > most) throw new Fault('too-large', `A BED file may have ${most} bytes at most`);
    parts.push(chunk);
  }
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : Buffer.concat(parts, length);
}

/** Whether a line is not a region: blank, a comment, or a line for genome browsers. */
export function isBesideBed(line: string): boolean {
  return line.startsWith('#') || /^(?:track|browser)(?:\s|$)/.test(line) || line.trim() === '';
}

/** The columns of a line, without blanks around them. */
export function bedColumns(line: string): string[] {
  return line.includes('\t') ? line.split('\t').map((cell) => cell.trim()) : line.trim().split(/ +/);
}

/** Names of columns, such as `chrom start end`. */
export function isBedHeading([, start = '', end = '']: readonly string[]): boolean {
  return /^[A-Za-z_ ]+$/.test(start) && /^[A-Za-z_ ]+$/.test(end);
}

/** The region of a line. Throws an Error that says which column is wrong; the caller adds file and line. */
export function bedRegion(columns: readonly string[]): { chromosome: string; start: number; end: number } {
  const [chromosome = '', from = '', to = ''] = columns;
  if (columns.length < 3 || chromosome === '') {
    const found = quoted(columns.join(' '));
    throw new Error(`expected three columns (chromosome, start, end), separated by tabs or by spaces, found ${found}`);
  }
  if (/\s/.test(chromosome))
    throw new Error(`the chromosome must not have a space, found ${quoted(chromosome)}: tabs and spaces are mixed`);
  const [start, end] = [positionOf(from, 'start'), positionOf(to, 'end')];
  if (start === end) throw new Error(`the region has no bases: its start and its end are ${start}`);
  if (start > end) throw new Error(`the end of the region, ${end}, is before its start, ${start}`);
  return { chromosome, start, end };
}

function positionOf(text: string, column: 'start' | 'end'): number {
  const position = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (position <= farthest) return position;
  throw new Error(`the ${column} must be a whole number from 0 to ${farthest}, found ${quoted(text)}`);
}

/** Ordinal, start, end, line, and where the name begins and ends in the text. */
type BedColumns = readonly [Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array];

/** Regions in columns: objects are created, and names decoded, only when a region is read. */
export class Bed implements Iterable<BedLine> {
  /** The file, in messages. */
  readonly name: string;
  /** In order of appearance. */
  readonly chromosomes: readonly string[];
  /** Of each region, the place of its chromosome in `chromosomes`. */
  readonly ordinals: Uint32Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly #lines: Uint32Array;
  readonly #text: Buffer;
  readonly #nameFrom: Uint32Array;
  readonly #nameTo: Uint32Array;

  constructor(name: string, text: Buffer, chromosomes: readonly string[], columns: BedColumns) {
    this.name = name;
    this.chromosomes = chromosomes;
    [this.ordinals, this.starts, this.ends, this.#lines, this.#nameFrom, this.#nameTo] = columns;
    this.#text = text;
  }

  get length(): number {
    return this.starts.length;
  }

  at(place: number): BedLine | undefined {
    if (!(place >= 0 && place < this.length)) return undefined;
    // A string of its own: a part of the line's would keep all of the line in memory.
    const name = this.#text.toString('utf8', this.#nameFrom[place], this.#nameTo[place]).trim();
    const chromosome = this.chromosomes[this.ordinals[place] as number] as string;
    const [start, end, line] = [this.starts[place] as number, this.ends[place] as number, this.#lines[place] as number];
    return { chromosome, start, end, line, ...(name === '' ? {} : { name }) };
  }

  *[Symbol.iterator](): Generator<BedLine> {
    for (let place = 0; place < this.length; place++) yield this.at(place) as BedLine;
  }

  /**
   * Refuses the first region that ends beyond its chromosome: no base of it would be known, or it is of another build.
   * `sizeOf` returns the bases of a chromosome; undefined if it is not known, for which `unknown` returns the reason to refuse it.
   */
  within(sizeOf: (chromosome: string) => number | undefined, unknown?: (chromosome: string) => string): void {
    const sizes = this.chromosomes.map(sizeOf);
    for (let place = 0; place < this.length; place++) {
      const [ordinal, end] = [this.ordinals[place] as number, this.ends[place] as number];
      const [chromosome, size] = [this.chromosomes[ordinal] as string, sizes[ordinal]];
      const refuse = (reason: string): Fault => fileFault(this.name, reason, this.#lines[place]);
      if (size === undefined) {
        if (unknown !== undefined) throw refuse(unknown(chromosome));
      } else if (end > size)
        throw refuse(`the region ends at ${end}, beyond the end of chromosome ${chromosome}, which has ${size} bases`);
    }
  }
}

const [tab, newline, carriage, space, zero] = [0x09, 0x0a, 0x0d, 0x20, 0x30];

class BedParser {
  readonly #name: string;
  readonly #text: Buffer;
  readonly #most: number;
  /** Without them, lines need not be checked one by one. */
  readonly #hasOtherBytes: boolean;
  readonly #chromosomes: string[] = [];
  readonly #ordinals = new Map<string, number>();
  #columns: BedColumns;
  #length = 0;
  #line = 0;
  #at: number;
  /** The chromosome of the last region, and its name in bytes. */
  #ordinal = 0;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(name: string, text: Buffer, most: number) {
    this.#name = name;
    this.#text = text;
    this.#most = most;
    this.#hasOtherBytes = !isUtf8(text);
    const column = () => new Uint32Array(linesAtOnce);
    this.#columns = [column(), column(), column(), column(), column(), column()];
    this.#at = text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? 3 : 0;
  }

  /** Reads some lines, at most `linesAtOnce`; returns whether there are more. */
  read(lines: number): boolean {
    this.#reserve(this.#length + lines);
    for (let left = lines; left > 0; left--) {
      left -= this.#plain(left);
      if (this.#at >= this.#text.length) return false;
      if (left > 0) this.#other();
    }
    return true;
  }

  finish(): Bed {
    const [a, b, c, d, e, f] = this.#columns;
    const cut = (column: Uint32Array) => column.subarray(0, this.#length);
    return new Bed(this.#name, this.#text, this.#chromosomes, [cut(a), cut(b), cut(c), cut(d), cut(e), cut(f)]);
  }

  /** Makes room for so many regions: to count the lines beforehand would take as long as to read them. */
  #reserve(regions: number): void {
    if (regions <= this.#columns[0].length) return;
    const larger = (column: Uint32Array) => {
      const found = new Uint32Array(2 * regions);
      found.set(column);
      return found;
    };
    const [a, b, c, d, e, f] = this.#columns;
    this.#columns = [larger(a), larger(b), larger(c), larger(d), larger(e), larger(f)];
  }

  /**
   * Reads lines as far as they are of the last chromosome, with tabs and digits, as nearly all are: in a tenth of the time of `other`.
   * Returns how many.
   */
  #plain(most: number): number {
    const [text, chromosome, ordinal, line] = [this.#text, this.#bytes, this.#ordinal, this.#line];
    const [ordinals, starts, ends, lines, names, nameEnds] = this.#columns;
    const before = this.#length;
    if (chromosome.length === 0 || this.#hasOtherBytes) return 0;
    const last = Math.min(before + most, this.#most);
    let [at, place] = [this.#at, before];
    plain: while (place < last) {
      let i = at;
      for (let k = 0; k < chromosome.length; k++, i++) if (text[i] !== chromosome[k]) break plain;
      if (text[i++] !== tab) break;
      const first = i;
      let start = 0;
      for (let digit = digitAt(text, i); digit < 10; digit = digitAt(text, ++i)) start = start * 10 + digit;
      if (i === first || i - first > 10 || text[i++] !== tab) break;
      const second = i;
      let end = 0;
      for (let digit = digitAt(text, i); digit < 10; digit = digitAt(text, ++i)) end = end * 10 + digit;
      if (i === second || i - second > 10 || end <= start || end > farthest) break;
      let [from, to] = [i, i];
      if (text[i] === tab) {
        from = ++i;
        while (i < text.length && text[i] !== tab && !isLineEnd(text[i])) i++;
        to = i;
        while (i < text.length && !isLineEnd(text[i])) i++;
      } else if (i < text.length && !isLineEnd(text[i])) break;
      ordinals[place] = ordinal;
      starts[place] = start;
      ends[place] = end;
      lines[place] = line + 1 + place - before;
      names[place] = from;
      nameEnds[place] = to;
      place++;
      at = afterLine(text, i);
    }
    this.#at = at;
    this.#length = place;
    this.#line = line + place - before;
    return place - before;
  }

  #other(): void {
    const [text, begin] = [this.#text, this.#at];
    this.#line++;
    let end = begin;
    while (end < text.length && !isLineEnd(text[end])) end++;
    this.#at = afterLine(text, end);
    const line = text.toString('utf8', begin, end).trimEnd();
    if (isBesideBed(line)) return;
    // Of names in another encoding, different ones would become equal.
    if (this.#hasOtherBytes && !isUtf8(text.subarray(begin, end))) throw this.#fault('it is not UTF-8 text');
    const columns = bedColumns(line);
    if (this.#length === 0 && isBedHeading(columns)) return;
    let region: ReturnType<typeof bedRegion>;
    try {
      region = bedRegion(columns);
    } catch (cause) {
      throw this.#fault(failedDownload(line) ?? (cause as Error).message);
    }
    let ordinal = this.#ordinals.get(region.chromosome);
    if (ordinal === undefined) {
      ordinal = this.#chromosomes.push(region.chromosome) - 1;
      this.#ordinals.set(region.chromosome, ordinal);
    }
    this.#ordinal = ordinal;
    this.#bytes = Buffer.from(region.chromosome);
    const place = this.#length++;
    if (place === this.#most) throw new Fault('too-large', `A BED file may have ${this.#most} intervals at most`);
    const row = [ordinal, region.start, region.end, this.#line, ...nameIn(text, begin, end, line.includes('\t'))];
    for (const [i, column] of this.#columns.entries()) column[place] = row[i] as number;
  }

  #fault(reason: string): Fault {
    return fileFault(this.#name, reason, this.#line);
  }
}

/** The digit at a position; 10 or more for any other byte. */
function digitAt(text: Buffer, i: number): number {
  const digit = (text[i] ?? tab) - zero;
  return digit < 0 ? 10 : digit;
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === newline || byte === carriage;
}

/** The begin of the next line after one that ends here. */
function afterLine(text: Buffer, end: number): number {
  return text[end] === carriage && text[end + 1] === newline ? end + 2 : end + 1;
}

/** The bytes [from, to) of the fourth column of a line, blanks around it included; none if it has no fourth column. */
function nameIn(text: Buffer, begin: number, end: number, byTabs: boolean): [from: number, to: number] {
  const separator = byTabs ? tab : space;
  let at = begin;
  const skip = (isSkipped: (byte: number) => boolean) => {
    while (at < end && isSkipped(text[at] as number)) at++;
  };
  if (!byTabs) skip((byte) => byte <= separator);
  for (let column = 0; column < 3; column++) {
    skip((byte) => byte !== separator);
    if (byTabs) at = Math.min(at + 1, end);
    else skip((byte) => byte === separator);
  }
  const from = at;
  skip((byte) => byte !== separator);
  return [from, at];
}

/**
 * The chromosomes of a genome file (`chrom.sizes`, or the index `.fai` of a reference), in its order: a name and the number of
 * bases, in lines like those of BED. Throws an `unprocessable` fault with file and line, also for a chromosome that is named twice
 * and if there is none.
 */
export function readGenome(file: TextFile): { name: string; size: number }[] {
  const found = new Map<string, { size: number; line: number }>();
  eachLine(file, (text, line) => {
    if (isBesideBed(text)) return;
    const [name = '', size = ''] = bedColumns(text);
    if (found.size === 0 && /^[A-Za-z_ ]+$/.test(size)) return;
    if (name === '' || size === '') throw new Error(`expected a name and a size, found ${quoted(text)}`);
    if (/\s/.test(name)) throw new Error(`the name must not have a space, found ${quoted(name)}`);
    if (!/^\d{1,10}$/.test(size) || !(Number(size) >= 1 && Number(size) <= farthest))
      throw new Error(`the size must be a whole number from 1 to ${farthest}, found ${quoted(size)}`);
    const known = found.get(name);
    if (known !== undefined) throw new Error(`chromosome ${quoted(name)} is in line ${known.line} already`);
    found.set(name, { size: Number(size), line });
  });
  if (found.size === 0) throw fileFault(file.name, 'it has no chromosomes');
  return [...found].map(([name, { size }]) => ({ name, size }));
}
