/** Parses BED files: three or more columns, tabs or spaces, headers, comments, blank lines, gzip. */
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Fault, isIntact } from '../../../core/plugin.js';
import type { List } from '../domain/list.js';
import { Numbers } from '../domain/numbers.js';
import type { Region } from '../domain/region.js';
import { RegionColumns } from '../domain/region-columns.js';
import { bedFileSentence } from './sources.js';

/** A line of a BED file. Each holds at least one base. */
export interface BedLine extends Region {
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

const unzip = promisify(gunzip);
/** Lines that are read before other requests get their turn. */
const linesAtOnce = 20_000;
/** The greatest position that a D4 file can have. */
const farthest = 2 ** 32 - 1;

/** The lines of a BED file, in order. Throws `unprocessable` faults that name the line, and `too-large` ones for the limits. */
export async function readBed(bytes: Buffer, limits: BedLimits): Promise<List<BedLine>> {
  const text = await textOf(bytes, limits);
  const rows = new BedColumns(text, limits);
  let number = 0;
  for (let at = startOf(text); at < text.length; ) {
    if (number % linesAtOnce === 0) await setImmediate();
    const begin = at;
    const end = endOfLine(text, begin);
    const line = text.toString('utf8', begin, end).trimEnd();
    at = end + 1;
    number += 1;
    if (line.trim() === '' || line.startsWith('#') || /^(?:track|browser)(?:\s|$)/.test(line)) continue;
    // Of names in another encoding, different ones would become one group of a report.
    if (!isIntact(line)) throw invalid(`line ${number} is not UTF-8 text`);
    const columns = columnsOf(line);
    if (rows.length === 0 && isHeading(columns)) continue;
    if (rows.length === limits.intervals) {
      throw new Fault('too-large', `A BED file may have ${limits.intervals} intervals at most`);
    }
    rows.push(rowOf(columns, number), nameIn(text, begin, end, line.includes('\t')));
  }
  if (rows.length === 0) throw invalid('it has no interval');
  return rows;
}

/** The lines as columns. Names are decoded only when a line is used. */
class BedColumns implements List<BedLine> {
  readonly #text: Buffer;
  readonly #regions: RegionColumns;
  readonly #numbers: Numbers;
  readonly #nameFrom: Numbers;
  readonly #nameTo: Numbers;

  constructor(text: Buffer, { intervals }: BedLimits) {
    this.#text = text;
    const room = linesIn(text, intervals);
    this.#regions = new RegionColumns(room);
    this.#numbers = new Numbers(room);
    this.#nameFrom = new Numbers(room);
    this.#nameTo = new Numbers(room);
  }

  get length(): number {
    return this.#regions.length;
  }

  push(line: BedLine, { from, to }: Bytes): void {
    this.#regions.push(line);
    this.#numbers.push(line.line);
    this.#nameFrom.push(from);
    this.#nameTo.push(to);
  }

  at(place: number): BedLine | undefined {
    const region = this.#regions.at(place);
    if (region === undefined) return undefined;
    // A string of its own: a part of the line's would keep all of the line in memory.
    const name = this.#text.toString('utf8', this.#nameFrom.at(place), this.#nameTo.at(place)).trim();
    const { chromosome, start, end } = region;
    // Spreading the region instead takes ten times as long, and makes garbage that only a full collection removes.
    return { chromosome, start, end, line: this.#numbers.at(place), ...(name === '' ? {} : { name }) };
  }

  *[Symbol.iterator](): Generator<BedLine> {
    for (let place = 0; place < this.length; place++) yield this.at(place) as BedLine;
  }
}

const newline = 0x0a;

/** The offset after the byte order mark that some programs write. */
function startOf(text: Buffer): number {
  return text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? 3 : 0;
}

/** The number of lines, or `most` if there are more. */
function linesIn(text: Buffer, most: number): number {
  let lines = 1;
  for (let at = text.indexOf(newline); at >= 0 && lines < most; at = text.indexOf(newline, at + 1)) lines++;
  return lines;
}

/** Where the line that begins here ends, without its line break. */
function endOfLine(text: Buffer, begin: number): number {
  const end = text.indexOf(newline, begin);
  return end < 0 ? text.length : end;
}

/** Bytes [from, to) of a text. */
interface Bytes {
  from: number;
  to: number;
}

/** The fourth column of the line with these bytes, blanks around it included; empty if it has none. */
function nameIn(text: Buffer, begin: number, end: number, byTabs: boolean): Bytes {
  const separator = byTabs ? 0x09 : 0x20;
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
  return { from, to: at };
}

function columnsOf(line: string): string[] {
  return line.includes('\t') ? line.split('\t') : line.trim().split(/ +/);
}

function rowOf(columns: readonly string[], line: number): BedLine {
  const [chromosome = '', from = '', to = '', name] = columns.map((column) => column.trim());
  if (columns.length < 3 || chromosome === '') throw invalid(`line ${line} has fewer than three columns`);
  const [start, end] = [positionOf(from, line), positionOf(to, line)];
  if (start === end) throw invalid(`line ${line} has no bases: it ends where it starts`);
  if (start > end) throw invalid(`line ${line} ends before it starts`);
  return { chromosome, start, end, line, ...(name === undefined || name === '' ? {} : { name }) };
}

function positionOf(text: string, line: number): number {
  const position = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(position <= farthest)) throw invalid(`line ${line} has a start or an end that is not a position`);
  return position;
}

/** Names of columns, such as `chrom start end`. */
function isHeading([, from = '', to = '']: readonly string[]): boolean {
  return /^[A-Za-z_ ]+$/.test(from) && /^[A-Za-z_ ]+$/.test(to);
}

async function textOf(bytes: Buffer, { bytes: most }: BedLimits): Promise<Buffer> {
  let plain = bytes;
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    try {
      plain = await unzip(bytes, { maxOutputLength: most });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(most);
      throw new Fault('unprocessable', `${bedFileSentence}: its compressed data are damaged or cut short`, { cause });
    }
  }
  if (plain.length > most) throw tooLarge(most);
  return plain;
}

function tooLarge(most: number): Fault {
  return new Fault('too-large', `A BED file may have ${most} bytes at most`);
}

function invalid(reason: string): Fault {
  return new Fault('unprocessable', `${bedFileSentence}: ${reason}`);
}
