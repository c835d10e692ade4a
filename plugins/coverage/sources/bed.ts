/** Reads BED files: any number of columns from three on, headers, comments, blank lines, tabs or blanks, gzip. */
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Fault } from '../../../core/plugin.js';
import type { Region } from '../domain/region.js';
import { bedFileSentence } from './sources.js';

/** A line of a BED file. Each holds at least one base. */
export interface BedLine extends Region {
  /** The fourth column, where there is one. */
  name?: string;
  /** Number of the line in the file, counted from 1. */
  line: number;
}

export interface BedLimits {
  intervals: number;
  /** Bytes of text. */
  bytes: number;
}

const unzip = promisify(gunzip);
/** Lines read before others get their turn. */
const linesAtOnce = 20_000;
/** Where D4 files can have bases. */
const farthest = 2 ** 32 - 1;

/** The lines of a BED file in its order. Throws `unprocessable` faults that name the line, `too-large` ones for the limits. */
export async function readBed(bytes: Buffer, limits: BedLimits): Promise<BedLine[]> {
  const text = await textOf(bytes, limits);
  const rows: BedLine[] = [];
  let number = 0;
  for (let at = 0; at < text.length; ) {
    if (number % linesAtOnce === 0) await setImmediate();
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end).trimEnd();
    at = end < 0 ? text.length : end + 1;
    number += 1;
    if (line.trim() === '' || line.startsWith('#') || /^(?:track|browser)(?:\s|$)/.test(line)) continue;
    const columns = line.includes('\t') ? line.split('\t') : line.trim().split(/ +/);
    if (rows.length === 0 && isHeading(columns)) continue;
    if (rows.length === limits.intervals) {
      throw new Fault('too-large', `A BED file may have ${limits.intervals} intervals at most`);
    }
    rows.push(rowOf(columns, number));
  }
  if (rows.length === 0) throw invalid('it has no interval');
  return rows;
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
  if (!(position <= farthest)) throw invalid(`line ${line} has a start or an end that is no position`);
  return position;
}

/** Names of columns, such as `chrom start end`. */
function isHeading([, from = '', to = '']: readonly string[]): boolean {
  return /^[A-Za-z_ ]+$/.test(from) && /^[A-Za-z_ ]+$/.test(to);
}

async function textOf(bytes: Buffer, { bytes: most }: BedLimits): Promise<string> {
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
  return plain.toString('utf8').replace(/^\uFEFF/, '');
}

function tooLarge(most: number): Fault {
  return new Fault('too-large', `A BED file may have ${most} bytes at most`);
}

function invalid(reason: string): Fault {
  return new Fault('unprocessable', `${bedFileSentence}: ${reason}`);
}
