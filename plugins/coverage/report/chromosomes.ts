/** The chromosomes of a report's samples: how many copies of X, Y and the mitochondrion. */
import type { Build } from '../contract.js';
import { intervalsIn } from '../domain/intervals-in.js';
import { type CopyEvidence, type KaryotypeFound, karyotypeOf, type MedianDepth } from '../domain/karyotype.js';
import { medianOf } from '../domain/median.js';
import { isCapture } from '../domain/mt-copies.js';
import { namesInFile } from '../domain/names.js';
import { lengthOf } from '../domain/region.js';
import type { SexFound } from '../domain/sex.js';
import type { CopyExons } from '../intervals/copy-exons.js';
import type { MeasuringServices } from '../services.js';
import type { Measurement } from './report-data.js';

type Tools = Pick<MeasuringServices, 'sources' | 'copyExons'>;

/** Of each sample, in order; undefined if its sex was not predicted. */
export async function karyotypesOf(
  { sources, copyExons }: Tools,
  { samples, request: { build } }: { samples: readonly Measurement[]; request: { build: Build } },
  signal: AbortSignal,
): Promise<(KaryotypeFound | undefined)[]> {
  const hasCapture = samples.some(({ sex }) => sex !== undefined && isCapture(sex.bins));
  const exons = hasCapture ? await copyExons(build, signal) : undefined;
  return Promise.all(
    samples.map(async ({ sex, source }) => {
      if (sex === undefined) return undefined;
      return karyotypeOf(await evidenceOf(sex, source));
    }),
  );

  async function evidenceOf({ bins }: SexFound, { location }: Measurement['source']): Promise<CopyEvidence> {
    if (exons === undefined || !isCapture(bins)) return bins;
    return sources.use(location, (file) => exonDepths(file, exons, signal));
  }
}

type DepthFile = Parameters<Parameters<Tools['sources']['use']>[1]>[0];

/** Exons of the autosomes and of X without depth are not captured. */
async function exonDepths(file: DepthFile, exons: CopyExons, signal: AbortSignal): Promise<CopyEvidence> {
  const track = file.track();
  const all = [...exons.autosomes, ...exons.x, ...exons.y];
  const names = namesInFile(track.chromosomes, [...new Set(all.map(({ chromosome }) => chromosome))]);
  const { intervals, places } = intervalsIn(all, names);
  const { sums } = await file.columns({ intervals, signal });
  const means = new Float64Array(all.length);
  for (const [i, place] of places.entries()) {
    const region = all[place];
    if (region !== undefined) means[place] = (sums[i] as number) / track.denominator / lengthOf([region]);
  }
  const ends = [exons.autosomes.length, exons.autosomes.length + exons.x.length] as const;
  const covered = (depths: Float64Array) => [...depths].filter((depth) => depth > 0);
  return {
    unit: 'exons',
    autosomes: medianDepth(covered(means.subarray(0, ends[0]))),
    x: medianDepth(covered(means.subarray(...ends))),
    y: medianDepth([...means.subarray(ends[1])]),
  };
}

function medianDepth(depths: readonly number[]): MedianDepth {
  return { median: medianOf(depths) ?? 0, count: depths.length };
}
