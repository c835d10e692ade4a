/** Loads the regions of a BED file: the whole file is read and checked before any of it is published. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { counted } from '../../../../core/commands.js';
import { type Bed, fileFault, openSource, readBed, SkippedLines } from '../../../../core/files.js';
import { accessionNamed, contigNamed } from '../../../../core/genome.js';
import type { Build, Chromosome, Place, RegionKind, RegionRepository, RegionSet } from '../../contract.js';
import { sizeIn } from '../../d4/index.js';
import { checkText } from '../loading.js';

interface RegionLoading {
  repository: Pick<RegionRepository, 'load'>;
  /** Path of the BED file, or `-` for standard input. */
  file: string;
  name: string;
  build: Build;
  kind: RegionKind;
  release?: string | undefined;
  /** Loads even if many lines are skipped, or the set shrinks by more than `maxShrink`, a fraction. */
  force?: boolean | undefined;
  maxShrink: number;
  now: Date;
  signal: AbortSignal;
}

/** Regions that are passed on at once. */
const batchRegions = 10_000;

/**
 * Throws an `invalid` fault for a name or release that is not possible, and an `unprocessable` fault that names the file (and
 * the line) if it is not a BED file, has a region beyond the end of a chromosome of the build, has no region on a chromosome, or
 * if more than one in twenty lines are on sequences that no build has, or the set would lose more than `maxShrink` of its
 * regions or bases. The old set then stays.
 */
export async function loadRegions(loading: RegionLoading): Promise<RegionSet> {
  const { repository, file, name, build, kind, release, force = false, maxShrink, now, signal } = loading;
  checkText('--name', name);
  if (release !== undefined) checkText('--release', release);
  const hash = createHash('sha256');
  const read = await openSource(file, (bytes) => void hash.update(bytes));
  const source = basename(read.name);
  const bed = await readBed({ ...read, name: source });
  const chromosomes = bed.chromosomes.map((each) => chromosomeOf(each, build, bed));
  bed.within((each) => sizeIn(build, chromosomes[bed.chromosomes.indexOf(each)] ?? ''));
  const lines = new SkippedLines<SkippedRegion>();
  return repository.load(
    {
      ...{ name, build, kind, signal, regions: regionsOf(bed, chromosomes, lines) },
      accept(size, replaces) {
        const skipped = lines.reasons;
        if (size.regions === 0) {
          const reasons = Object.entries(skipped).map(([reason, count]) => `${count} skipped: ${reason}`);
          throw fileFault(source, `it has no regions on the chromosomes of ${build} (${reasons.join(', ')})`);
        }
        if (!force) lines.check(source, ['other sequence']);
        for (const what of ['region', 'base'] as const) {
          const [count, loaded] = [size[`${what}s`], replaces?.[`${what}s`]];
          if (loaded === undefined || force || count >= loaded * (1 - maxShrink)) continue;
          const reason =
            `it has ${counted(count, what)}, but the loaded set has ${loaded}. The file may be cut short; the old regions ` +
            'stay. Use --force if the file is right';
          throw fileFault(source, reason);
        }
        const checksum = `sha256:${hash.digest('hex')}`;
        return { ...(release !== undefined && { release }), source, checksum, skipped };
      },
    },
    now,
  );
}

/** Why a line is left out: scaffolds, patches and alternative haplotypes are expected, other names are not. */
type SkippedRegion = 'other sequence' | 'unknown sequence';

const scaffold = /[_.:*]|^(?:chr)?(?:un|ebv|hla)|decoy|^hs37d5$/i;

/** Throws an `unprocessable` fault for the accession of a chromosome of another build. */
function chromosomeOf(sequence: string, build: Build, bed: Bed): Chromosome | SkippedRegion {
  const accession = accessionNamed(sequence);
  const named = contigNamed(sequence) ?? accession?.contig;
  if (accession !== undefined && accession.contig !== 'MT' && accession.assembly !== build) {
    const line = bed.ordinals.indexOf(bed.chromosomes.indexOf(sequence));
    const other = accession.assembly ?? 'another build';
    const reason = `${sequence} is chromosome ${accession.contig} of ${other}, not of ${build}`;
    throw fileFault(bed.name, reason, bed.at(line)?.line);
  }
  return named ?? (scaffold.test(sequence) ? 'other sequence' : 'unknown sequence');
}

async function* regionsOf(
  bed: Bed,
  chromosomes: readonly (Chromosome | SkippedRegion)[],
  lines: SkippedLines<SkippedRegion>,
): AsyncGenerator<Place[]> {
  let batch: Place[] = [];
  for (let place = 0; place < bed.length; place++) {
    const chromosome = chromosomes[bed.ordinals[place] as number] as Chromosome | SkippedRegion;
    if (chromosome === 'other sequence' || chromosome === 'unknown sequence') {
      const line = bed.at(place);
      lines.skip('regions', chromosome, line?.line ?? 0, `${line?.chromosome} ${line?.start} ${line?.end}`);
      continue;
    }
    lines.read('regions');
    batch.push({ chromosome, start: bed.starts[place] as number, end: bed.ends[place] as number });
    if (batch.length < batchRegions) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
