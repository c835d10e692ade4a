/** The regions that commands work on: BED files, `chr:begin-end`, or the whole genome. */
import { readFile } from 'node:fs/promises';
import { D4Error } from '../error.js';
import type { Interval } from '../interval.js';
import type { Track } from '../track.js';

/** A tab, as distance from the digit 0. */
const tabDigit = 9 - 48;

/** Every chromosome from end to end. */
export function wholeGenome({ chromosomes }: Track): Interval[] {
  return chromosomes.map(({ name, size }) => ({ chromosome: name, begin: 0, end: size }));
}

/** Regions of a BED file: the first three columns, separated by tabs. Comments and track lines are skipped. */
export async function readBed(path: string): Promise<Interval[]> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (cause) {
    throw new D4Error('not-found', 'The BED file cannot be read', path, { cause });
  }
  const regions: Interval[] = [];
  let chromosome = '';
  let number = 0;
  for (let at = 0; at < content.length; ) {
    const newline = content.indexOf('\n', at);
    const next = newline < 0 ? content.length : newline;
    const end = content[next - 1] === '\r' ? next - 1 : next;
    number++;
    // Names repeat line after line: one string for all of them, and no pattern for a line that is as expected.
    if (!(chromosome !== '' && content.startsWith(chromosome, at) && content[at + chromosome.length] === '\t')) {
      const line = content.slice(at, end);
      if (/^\s*$|^#|^(track|browser)\b/.test(line)) {
        at = next + 1;
        continue;
      }
      [chromosome = ''] = line.split('\t', 1);
    }
    const first = wholeNumber(content, at + chromosome.length + 1, end);
    const second = first && wholeNumber(content, first.end + 1, end);
    if (!second || second.value < first.value) {
      const message = 'A region needs a chromosome, a begin and an end that is not less, separated by tabs';
      throw new D4Error('invalid', message, `${path}: line ${number}`);
    }
    regions.push({ chromosome, begin: first.value, end: second.value });
    at = next + 1;
  }
  return regions;
}

/** The digits from a position up to a tab or the end of the line; undefined if there are none, or others among them. */
function wholeNumber(text: string, from: number, lineEnd: number): { value: number; end: number } | undefined {
  let value = 0;
  let i = from;
  for (; i < lineEnd; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit === tabDigit) break;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return i > from ? { value, end: i } : undefined;
}

/** Parses `chr`, `chr:begin-end` or `chr:begin-` (zero-based half-open). Names may contain colons. */
export function parseRegion(text: string, { chromosomes }: Track): Interval {
  const sizeOf = (name: string) => chromosomes.find((chromosome) => chromosome.name === name)?.size;
  const whole = sizeOf(text);
  if (whole !== undefined) return { chromosome: text, begin: 0, end: whole };
  const [, chromosome = text, from, to] = /^(.+):(\d+)-(\d*)$/.exec(text) ?? [];
  const begin = Number(from ?? 0);
  const end = to ? Number(to) : Math.max(begin, sizeOf(chromosome) ?? 0);
  if (end < begin) throw new D4Error('invalid', 'A region must not end before it begins', text);
  return { chromosome, begin, end };
}

/** Intervals in the order of d4tools: by name byte by byte, then by begin and end. */
export function sortedByName(intervals: readonly Interval[]): Interval[] {
  const byName = new Map<string, Interval[]>();
  for (const interval of intervals) {
    const own = byName.get(interval.chromosome);
    if (own) own.push(interval);
    else byName.set(interval.chromosome, [interval]);
  }
  const names = [...byName].map(([name, own]) => ({ bytes: Buffer.from(name), own }));
  names.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  return names.flatMap(({ own }) => (isSorted(own) ? own : own.sort(compared)));
}

function compared(a: Interval, b: Interval): number {
  return a.begin - b.begin || a.end - b.end;
}

/** As most BED files are. */
function isSorted(intervals: readonly Interval[]): boolean {
  for (let i = 1; i < intervals.length; i++) {
    if (compared(intervals[i - 1] as Interval, intervals[i] as Interval) > 0) return false;
  }
  return true;
}
