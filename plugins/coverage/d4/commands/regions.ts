/** The regions that commands work on: BED files, `chr:begin-end`, or the whole genome. */
import { readFile } from 'node:fs/promises';
import { D4Error } from '../error.js';
import type { Interval } from '../interval.js';
import type { Track } from '../track.js';
import { RegionReader, type Regions } from './region-columns.js';

/** Every chromosome from end to end. */
export function wholeGenome({ chromosomes }: Track): Interval[] {
  return chromosomes.map(({ name, size }) => ({ chromosome: name, begin: 0, end: size }));
}

/** Regions of a BED file: the first three columns, separated by tabs. Comments and track lines are skipped. */
export async function readBed(path: string): Promise<Regions> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw new D4Error('not-found', 'The BED file cannot be read', path, { cause });
  }
  const regions = new RegionReader(bytes);
  for (let number = 1; ; number++) {
    number += regions.readPlain();
    const line = regions.takeLine();
    if (line === undefined) return regions.finish();
    if (/^\s*$|^#|^(track|browser)\b/.test(line)) continue;
    const [chromosome = '', begin = '', end = ''] = line.split('\t', 3);
    if (!isDigits(begin) || !isDigits(end) || Number(end) < Number(begin)) {
      const message = 'A region needs a chromosome, a begin and an end that is not less, separated by tabs';
      throw new D4Error('invalid', message, `${path}: line ${number}`);
    }
    regions.add(chromosome, Number(begin), Number(end));
  }
}

function isDigits(text: string): boolean {
  return /^\d+$/.test(text);
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
