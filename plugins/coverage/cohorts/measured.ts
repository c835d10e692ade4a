/** Cohort values measured in the files of the samples: slow, and right by definition. */
import {
  type Build,
  type Chromosome,
  type IntervalRepository,
  intervalKinds,
  type RegisteredSample,
  type SampleRepository,
} from '../contract.js';
import type { Measure, Sample } from '../domain/measure.js';
import type { Region } from '../domain/region.js';
import type { CoverageSources } from '../sources/sources.js';
import type { Cohorts, CohortValues } from './values.js';

export interface MeasuredCohortsOptions {
  intervals: Pick<IntervalRepository, 'each'>;
  samples: Pick<SampleRepository, 'find' | 'list'>;
  sources: Pick<CoverageSources, 'coverageFile'>;
  measure: Measure;
  /** Depths, ascending, whose completeness is known. */
  thresholds: readonly number[];
}

/** Samples that are read at once. */
const portion = 1000;

export function measuredCohorts(options: MeasuredCohortsOptions): Cohorts {
  const { intervals, sources, measure } = options;
  const exons = (build: Build, signal: AbortSignal) => autosomalExons(intervals, build, signal);
  return {
    exons,
    async values({ build, targets, thresholds: asked, samples: wanted }, signal): Promise<CohortValues> {
      const thresholds = options.thresholds.filter((threshold) => asked.includes(threshold));
      const ready = (await samplesOf(options.samples, wanted)).filter(
        (one) => one.state === 'ready' && one.build === build,
      );
      const known = await placesOf(intervals, build, signal);
      const isKnown = targets.map(({ regions }) => regions.every((region) => known.has(keyOf(region))));
      const files: Sample[] = await Promise.all(
        ready.map(async ({ id, file }) => ({ name: id, location: await sources.coverageFile(file.path, file.track) })),
      );
      const measured = await measure({
        samples: files,
        targets: targets.filter((_, i) => isKnown[i]),
        thresholds,
        build,
        signal,
      });
      const ofExons = await measure({
        samples: files,
        targets: (await exons(build, signal)).map((region) => ({ regions: [region] })),
        thresholds: [],
        build,
        signal,
      });
      let next = 0;
      return {
        samples: ready.map(({ id }) => id),
        thresholds,
        targets: isKnown.map((isIn) => {
          if (!isIn) return undefined;
          const at = next++;
          const depths = measured.samples.map((sample) => sample.targets[at]);
          return {
            length: depths[0]?.length ?? 0,
            means: Float64Array.from(depths, (one) => one?.mean ?? 0),
            reached: thresholds.map((_, t) => Float64Array.from(depths, (one) => one?.reached[t] ?? 0)),
          };
        }),
        medians: Float64Array.from(ofExons.samples, (sample) => medianOf(sample.targets.map(({ mean }) => mean))),
      };
    },
  };
}

/** Of the depths above 0; NaN if there are none. */
export function medianOf(depths: Iterable<number>): number {
  const sorted = Float64Array.from([...depths].filter((depth) => depth > 0)).sort();
  const at = (rank: number) => sorted[rank] ?? Number.NaN;
  return (at(Math.floor((sorted.length - 1) / 2)) + at(Math.floor(sorted.length / 2))) / 2;
}

async function samplesOf(
  samples: Pick<SampleRepository, 'find' | 'list'>,
  wanted: readonly string[] | undefined,
): Promise<RegisteredSample[]> {
  if (wanted !== undefined) {
    const found = new Map((await samples.find(wanted)).map((sample) => [sample.id, sample]));
    return wanted.flatMap((id) => found.get(id) ?? []);
  }
  const all: RegisteredSample[] = [];
  for (let after: string | undefined; ; ) {
    const part = await samples.list({ ...(after !== undefined && { after }), limit: portion });
    all.push(...part);
    after = part.at(-1)?.id;
    if (part.length < portion) return all;
  }
}

const notAutosomes: readonly Chromosome[] = ['X', 'Y', 'MT'];

async function autosomalExons(
  intervals: Pick<IntervalRepository, 'each'>,
  build: Build,
  signal: AbortSignal,
): Promise<Region[]> {
  const found = new Map<string, Region>();
  await intervals.each(
    'exons',
    build,
    undefined,
    async (rows) => {
      for (const { chromosome, start, end } of rows) {
        if (notAutosomes.includes(chromosome)) continue;
        found.set(keyOf({ chromosome, start, end }), { chromosome, start, end });
      }
    },
    { signal },
  );
  return [...found.values()].sort((a, b) => Number(a.chromosome) - Number(b.chromosome) || a.start - b.start);
}

async function placesOf(
  intervals: Pick<IntervalRepository, 'each'>,
  build: Build,
  signal: AbortSignal,
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const kind of intervalKinds) {
    await intervals.each(
      kind,
      build,
      undefined,
      async (rows) => {
        for (const row of rows) found.add(keyOf(row));
      },
      { signal },
    );
  }
  return found;
}

function keyOf({ chromosome, start, end }: Region): string {
  return `${chromosome}:${start}-${end}`;
}
