/** The stretches below the level in what is not covered completely, for any number of targets in bounded memory. */
import { chromosomeIndex } from '../d4/names.js';
import type { DepthFiles, Depths, Measure } from '../domain/measure.js';
import { type Region, union } from '../domain/region.js';
import type { Gathered, Measurement } from './gather.js';
import { Pace } from './pace.js';
import type { ReportTarget } from './target.js';

/** The gaps of one target: those of each sample, in the order of the samples. */
export interface TargetGaps {
  target: ReportTarget;
  gaps: readonly (readonly Region[])[];
}

/** Bases below the level that are looked through at once: there cannot be more gaps than bases. */
const basesAtOnce = 4000;

/** Target by target, in their order; those that every sample covers are left out. */
export async function* targetGaps(
  measure: Measure,
  gathered: Gathered,
  signal: AbortSignal,
): AsyncGenerator<TargetGaps> {
  // Each portion is measured quickly, and there may be very many.
  const pace = new Pace();
  let portion: ReportTarget[] = [];
  let bases = 0;
  for (const { target, missing } of incomplete(gathered)) {
    if (portion.length > 0 && bases + missing > basesAtOnce) {
      await pace.turn();
      yield* gapsOf(measure, gathered, portion, signal);
      [portion, bases] = [[], 0];
    }
    portion.push(target);
    bases += missing;
  }
  if (portion.length > 0) yield* gapsOf(measure, gathered, portion, signal);
}

function* incomplete({ targets, samples, level }: Gathered): Generator<{ target: ReportTarget; missing: number }> {
  for (const [i, target] of targets.entries()) {
    const missing = Math.max(...samples.map(({ depths }) => missingOf(depths.targets[i], level)));
    if (missing > 0) yield { target, missing };
  }
}

function missingOf(depths: Depths | undefined, level: number): number {
  return depths === undefined ? 0 : depths.length - (depths.reached[level] ?? 0);
}

async function* gapsOf(
  measure: Measure,
  { request: { build, level }, targets: all, samples }: Gathered,
  portion: readonly ReportTarget[],
  signal: AbortSignal,
): AsyncGenerator<TargetGaps> {
  const places = new Map(all.map((target, i) => [target, i]));
  const bySample = await Promise.all(
    samples.map(async ({ source, depths }) => {
      // What the file lacks as a whole is one gap, and not to be asked for again.
      const asked = portion.filter((target) => (depths.targets[places.get(target) ?? -1]?.measured ?? 0) > 0);
      if (asked.length === 0) return new Map<ReportTarget, readonly Region[]>();
      const question = { samples: [source], targets: asked, thresholds: [], build, gapsBelow: level, signal };
      const { samples: answers } = await measure(question);
      return new Map(asked.map((target, i) => [target, answers[0]?.targets[i]?.gaps ?? []]));
    }),
  );
  for (const target of portion) {
    yield { target, gaps: bySample.map((found) => found.get(target) ?? union(target.regions)) };
  }
}

/** A gap with the depth of its bases. */
export interface MeasuredGap extends Region {
  mean: number;
  min: number;
}

/** The mean and least depth of gaps; 0 where the file has no such bases. */
export function gapDepths(
  files: DepthFiles,
  { source: { location } }: Measurement,
  gaps: readonly Region[],
  signal: AbortSignal,
): Promise<MeasuredGap[]> {
  return files.use(location, async (file) => {
    const { chromosomes } = file.track();
    const nameOf = (chromosome: string) => chromosomes[chromosomeIndex(chromosomes, chromosome, true)]?.name;
    const present = gaps.filter(({ chromosome }) => nameOf(chromosome) !== undefined);
    const intervals = present.map(({ chromosome, start, end }) => ({
      chromosome: nameOf(chromosome) as string,
      begin: start,
      end,
    }));
    const { means, min, bases } = await file.columns({ intervals, range: true, signal });
    const places = new Map(present.map((gap, i) => [gap, i]));
    return gaps.map((gap): MeasuredGap => {
      const i = places.get(gap) ?? -1;
      return { ...gap, mean: means[i] ?? 0, min: bases[i] ? (min[i] as number) : 0 };
    });
  });
}
