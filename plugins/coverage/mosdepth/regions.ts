/** The regions of `--by`: those of a BED file with their names, or windows of equal length. */
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { type Chromosome, D4Error, type Interval } from '../d4/index.js';

/** A region, zero-based half-open. */
export interface Region extends Interval {
  /** The fourth column of the BED file; empty if it has none. */
  name: string;
}

/** Regions of a chromosome by index. */
export interface Regions {
  readonly length: number;
  at(place: number): Region | undefined;
}

/** What `--by` asks for. */
export type By = { window: number } | { regions: Map<string, Region[]> };

/** Whole numbers are the length of windows, anything else is the path of a BED file. Throws D4Error. */
export async function parseBy(given: string): Promise<By> {
  if (!/^\d+$/.test(given)) return { regions: await readNamedBed(given) };
  const window = Number(given);
  if (window >= 1 && Number.isSafeInteger(window)) return { window };
  throw new D4Error('invalid', 'Windows need a length of 1 base or more', '--by');
}

/** The windows of a chromosome; the last one may be shorter. */
export function windows({ name: chromosome, size }: Chromosome, length: number): Regions {
  const count = Math.ceil(size / length);
  return {
    length: count,
    at: (place) => ({
      chromosome,
      begin: place * length,
      end: Math.min(size, (place + 1) * length),
      name: '',
    }),
  };
}

/** Regions by chromosome, each ascending by begin; regions of the same begin stay in the order of the file. */
async function readNamedBed(path: string): Promise<Map<string, Region[]>> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = gunzipSync(bytes);
  } catch (cause) {
    throw new D4Error('not-found', 'The BED file cannot be read', path, { cause });
  }
  const found = new Map<string, Region[]>();
  for (const [i, line] of bytes.toString().split('\n').entries()) {
    if (/^\s*$|^#|^(track|browser)\b/.test(line)) continue;
    const [chromosome = '', begin = '', end = '', name = ''] = line.trim().split('\t');
    if (!/^\d+$/.test(begin) || !/^\d+$/.test(end) || Number(end) < Number(begin)) {
      const message = 'A region needs a chromosome, a begin and an end that is not less, separated by tabs';
      throw new D4Error('invalid', message, `${path}: line ${i + 1}`);
    }
    const own = found.get(chromosome) ?? [];
    own.push({ chromosome, begin: Number(begin), end: Number(end), name });
    found.set(chromosome, own);
  }
  for (const regions of found.values()) regions.sort((a, b) => a.begin - b.begin);
  return found;
}

/** Throws D4Error `invalid` for a region that ends after its chromosome, and if no chromosome of the BED file is known. */
export function checkRegions(regions: Map<string, Region[]>, chromosomes: readonly Chromosome[], path: string): void {
  const sizes = new Map(chromosomes.map(({ name, size }) => [name, size]));
  for (const [chromosome, own] of regions) {
    const size = sizes.get(chromosome);
    const beyond = size === undefined ? undefined : own.find(({ end }) => end > size);
    if (!beyond) continue;
    const place = `${path}: ${chromosome}:${beyond.begin}-${beyond.end}`;
    throw new D4Error('invalid', `The region ends after its chromosome, which has ${size} bases`, place);
  }
  if (regions.size > 0 && ![...regions.keys()].some((name) => sizes.has(name))) {
    const names = [...regions.keys()].slice(0, 3).join(', ');
    const known = chromosomes.slice(0, 3).map(({ name }) => name);
    const message = `The D4 file has none of the chromosomes of the BED file (${names} …); its own are ${known.join(', ')} …`;
    throw new D4Error('unknown-chromosome', message, path);
  }
}
