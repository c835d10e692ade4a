/** The regions of `--by`: those of a BED file with their names, or windows of equal length. */
import { readBedFile } from '../../../core/files.js';
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
export type By = { window: number } | { regions: ByChromosome };

/** Whole numbers are the length of windows, anything else is the path of a BED file. Throws as `readNamedBed`. */
export async function parseBy(given: string, chromosomes: readonly Chromosome[]): Promise<By> {
  if (!/^\d+$/.test(given)) return { regions: await readNamedBed(given, chromosomes) };
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
export type ByChromosome = Map<string, Region[]>;

/**
 * Throws an `unprocessable` fault for a file that is not BED and for a region that ends after its chromosome, and D4Error if no
 * chromosome of the BED file is known.
 */
async function readNamedBed(path: string, chromosomes: readonly Chromosome[]): Promise<ByChromosome> {
  const bed = await readBedFile(path);
  const sizes = new Map(chromosomes.map(({ name, size }) => [name, size]));
  bed.within((name) => sizes.get(name));
  if (!bed.chromosomes.some((name) => sizes.has(name))) {
    const names = bed.chromosomes.slice(0, 3).join(', ');
    const known = chromosomes.slice(0, 3).map(({ name }) => name);
    const message = `The D4 file has none of the chromosomes of the BED file (${names} …); its own are ${known.join(', ')} …`;
    throw new D4Error('unknown-chromosome', message, path);
  }
  const found = new Map(bed.chromosomes.map((name): [string, Region[]] => [name, []]));
  for (const { chromosome, start, end, name = '' } of bed)
    found.get(chromosome)?.push({ chromosome, begin: start, end, name });
  for (const regions of found.values()) regions.sort((a, b) => a.begin - b.begin);
  return found;
}
