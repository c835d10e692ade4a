/** The regions that commands work on: BED files, `chr:begin-end`, or the whole genome. */
import { D4Error } from '../error.js';
import type { Interval } from '../interval.js';
import { chromosomeIndex } from '../names.js';
import type { Track } from '../track.js';
import type { CommandIo } from './command.js';
import { Regions } from './region-columns.js';

/** Every chromosome from end to end. */
export function wholeGenome({ chromosomes }: Track): Interval[] {
  return chromosomes.map(({ name, size }) => ({ chromosome: name, begin: 0, end: size }));
}

/** The regions of a BED file, all of them within chromosomes of the file. */
export async function bedRegions(
  io: Pick<CommandIo, 'readBed'>,
  path: string,
  { chromosomes }: Track,
  alias: boolean,
): Promise<Regions> {
  const bed = await io.readBed(path);
  const few = chromosomes.slice(0, 3).map(({ name }) => name);
  bed.within(
    (name) => chromosomes[chromosomeIndex(chromosomes, name, alias)]?.size,
    (name) =>
      `the D4 file has no chromosome ${JSON.stringify(name)}; its own are ${few.join(', ')} …` +
      (chromosomeIndex(chromosomes, name, true) >= 0 ? ' (--alias accepts the other spelling)' : ''),
  );
  return new Regions(bed.chromosomes, bed.ordinals, new Float64Array(bed.starts), new Float64Array(bed.ends));
}

/**
 * Parses `chr`, `chr:begin-end` or `chr:begin-` (zero-based half-open). Names may contain colons. Throws D4Error for a chromosome or
 * bases that the file does not have.
 */
export function parseRegion(text: string, { chromosomes, source }: Track): Interval {
  const sizeOf = (name: string) => chromosomes.find((chromosome) => chromosome.name === name)?.size;
  const whole = sizeOf(text);
  if (whole !== undefined) return { chromosome: text, begin: 0, end: whole };
  const [, chromosome = text, from, to] = /^(.+):(\d+)-(\d*)$/.exec(text) ?? [];
  const size = sizeOf(chromosome);
  if (size === undefined) {
    throw new D4Error('unknown-chromosome', `The file has no chromosome ${JSON.stringify(chromosome)}`, source.name);
  }
  const begin = Number(from ?? 0);
  const end = to ? Number(to) : Math.max(begin, size);
  if (end < begin) throw new D4Error('invalid', 'A region must not end before it begins', text);
  if (end > size || begin === size) {
    throw new D4Error('invalid', `Chromosome ${chromosome} has ${size} bases, and the region is not in it`, text);
  }
  return { chromosome, begin, end };
}
