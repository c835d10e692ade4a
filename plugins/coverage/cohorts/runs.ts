/**
 * Whether the samples of a run differ from those of earlier runs of the same assay: what a control chart shows. Charts are
 * kept, since most requests find nothing changed.
 */
import { createHash } from 'node:crypto';
import { byName } from '../../../core/genome.js';
import type { Build, IntervalRepository } from '../contract.js';
import { RecentlyUsed } from '../d4/index.js';
import type { Region } from '../measure/region.js';
import { Pace } from '../measure/work-queue.js';
import type { Member } from './members.js';
import {
  leastForPercentiles,
  type MannWhitney,
  mannWhitney,
  normalisedDepth,
  quantile,
  robustZ,
  spreadOfValues,
  type WestgardRule,
  warningRule,
  westgard,
} from './statistics.js';
import { leastForZ, outlyingZ } from './target-comparison.js';
import type { Cohorts } from './values.js';

/** Autosomal places that a chart rests on, evenly spread over all: more would only take longer. */
export const chartPlaces = 1000;

/** Values (samples × places) of one question to the cohorts. */
const valuesAtOnce = 2_000_000;

/** A sample on the chart. */
export interface ChartSample {
  id: string;
  /** Median, over the places, of the robust z of its normalised depth among all samples of the assay. */
  medianZ: number;
  /** Share of the places, 0 to 1, with |z| > 3. */
  share: number;
}

/** A run beside the samples of all earlier runs. */
export interface Drift {
  /** Median of the run minus that of the earlier samples, divided by 1.4826 · MAD of these; undefined if that is 0. */
  distance?: number;
  test?: MannWhitney;
  /** By the distances of this run and of those before it. */
  rules: readonly WestgardRule[];
}

/** The p below which a run differs from earlier runs: one false alarm in a thousand runs for each figure. */
export const driftP = 0.001;

/** Whether a rule rejects the run, or the test says that it differs. A MAD of 0, as shares may have, leaves the test alone. */
export function hasDrifted({ test, rules }: Drift): boolean {
  return rules.some((rule) => rule !== warningRule) || (test !== undefined && test.p < driftP);
}

export interface ChartRun {
  run: string;
  /** The first day of its samples. */
  day: string;
  samples: readonly ChartSample[];
  medianZ: number;
  share: number;
  /** Samples of earlier runs: with fewer than `leastForPercentiles`, nothing is said of drift. */
  earlier: number;
  drift: { medianZ: Drift; share: Drift };
}

/** The chart of one assay: its runs by day. */
export interface RunChart {
  assay: string;
  /** Coding segments with their splice bases; exons if no coding sequences are loaded. */
  counted: 'coding' | 'exons';
  /** Places with a z: those whose MAD is above 0. */
  places: number;
  runs: readonly ChartRun[];
}

/** The chart of an assay from its members; undefined if fewer than `leastForZ` of them have values, or none a run. */
export async function runChart(
  cohorts: Cohorts,
  { build, assay, members }: { build: Build; assay: string; members: readonly Member[] },
  signal: AbortSignal,
): Promise<RunChart | undefined> {
  const own = members.filter((member) => member.assay === assay);
  if (own.length < leastForZ || own.every(({ run }) => run === undefined)) return undefined;
  const coding = await cohorts.coding(build, signal);
  const counted = coding.length > 0 ? 'coding' : 'exons';
  const places = spreadOver(counted === 'coding' ? coding : await cohorts.exons(build, signal), chartPlaces);
  const scores = await scoresOf(
    cohorts,
    build,
    places,
    own.map(({ id }) => id),
    signal,
  );
  if (scores === undefined) return undefined;
  const byRun = new Map<string, { run: string; day: string; samples: ChartSample[] }>();
  for (const { id, run, day } of own) {
    const score = scores.samples.get(id);
    if (run === undefined || score === undefined) continue;
    const known = byRun.get(run) ?? { run, day, samples: [] };
    known.samples.push({ id, ...score });
    byRun.set(run, { ...known, day: day < known.day ? day : known.day });
  }
  const runs = [...byRun.values()].sort((a, b) => (a.day === b.day ? byName(a.run, b.run) : a.day < b.day ? -1 : 1));
  return { assay, counted, places: scores.places, runs: await judged(runs) };
}

type SampleScore = Omit<ChartSample, 'id'>;

/** The z of each sample at each place, as two figures for each sample. */
async function scoresOf(
  cohorts: Cohorts,
  build: Build,
  places: readonly Region[],
  ids: readonly string[],
  signal: AbortSignal,
): Promise<{ places: number; samples: ReadonlyMap<string, SampleScore> } | undefined> {
  const size = Math.max(1, Math.floor(valuesAtOnce / ids.length));
  const zs = new Map<string, Zs>();
  const pace = new Pace();
  let used = 0;
  for (let from = 0; from < places.length; from += size) {
    const targets = places.slice(from, from + size).map((place) => ({ regions: [place] }));
    const found = await cohorts.values({ build, targets, thresholds: [], samples: ids }, signal);
    const rows = found.samples.map((id) => {
      const own = zs.get(id) ?? { values: new Float64Array(places.length), count: 0 };
      zs.set(id, own);
      return own;
    });
    for (const one of found.targets) {
      used += addScores(one?.means, found.medians, rows);
      await pace.turn();
    }
  }
  const samples = new Map<string, SampleScore>();
  for (const [id, { values, count }] of zs) {
    if (count === 0) continue;
    const own = values.subarray(0, count);
    let beyond = 0;
    for (const z of own) if (Math.abs(z) > outlyingZ) beyond += 1;
    samples.set(id, { medianZ: quantile(own, 0.5), share: beyond / count });
    await pace.turn();
  }
  return samples.size < leastForZ ? undefined : { places: used, samples };
}

/** The z of one sample, as many as are known. */
interface Zs {
  values: Float64Array;
  count: number;
}

/** Returns 1 if the place counts: if enough samples have a depth there, and their MAD is above 0. */
function addScores(means: Float64Array | undefined, medians: Float64Array, rows: readonly Zs[]): 0 | 1 {
  if (means === undefined) return 0;
  const depths = new Float64Array(rows.length);
  const known = new Float64Array(rows.length);
  let count = 0;
  for (let i = 0; i < rows.length; i++) {
    const depth = normalisedDepth(means[i] as number, medians[i] as number) ?? Number.NaN;
    depths[i] = depth;
    if (!Number.isNaN(depth)) known[count++] = depth;
  }
  const spread = spreadOfValues(known.subarray(0, count));
  if (count < leastForZ || !(spread.mad > 0)) return 0;
  for (const [i, row] of rows.entries()) {
    const z = robustZ(depths[i] as number, spread) ?? Number.NaN;
    if (!Number.isNaN(z)) row.values[row.count++] = z;
  }
  return 1;
}

async function judged(
  runs: readonly { run: string; day: string; samples: readonly ChartSample[] }[],
): Promise<ChartRun[]> {
  const pace = new Pace();
  const driftsOf = async (of: (sample: ChartSample) => number): Promise<Drift[]> => {
    const values = Float64Array.from(
      runs.flatMap(({ samples }) => samples),
      of,
    );
    const drifts: Omit<Drift, 'rules'>[] = [];
    let from = 0;
    for (const { samples } of runs) {
      const to = from + samples.length;
      drifts.push(driftOf(values.slice(from, to), values.slice(0, from)));
      from = to;
      await pace.turn();
    }
    const rules = westgard(drifts.map(({ distance }) => distance));
    return drifts.map((drift, i) => ({ ...drift, rules: rules[i] ?? [] }));
  };
  const medianZ = await driftsOf((sample) => sample.medianZ);
  const share = await driftsOf((sample) => sample.share);
  let earlier = 0;
  return runs.map(({ run, day, samples }, i) => {
    const before = earlier;
    earlier += samples.length;
    return {
      run,
      day,
      samples,
      medianZ: middle(Float64Array.from(samples, (sample) => sample.medianZ)),
      share: middle(Float64Array.from(samples, (sample) => sample.share)),
      earlier: before,
      drift: { medianZ: medianZ[i] as Drift, share: share[i] as Drift },
    };
  });
}

function driftOf(own: Float64Array, earlier: Float64Array): Omit<Drift, 'rules'> {
  if (earlier.length < leastForPercentiles) return {};
  const distance = robustZ(middle(own), spreadOfValues(earlier));
  const test = mannWhitney(own, earlier);
  return { ...(distance === undefined ? {} : { distance }), ...(test === undefined ? {} : { test }) };
}

function middle(values: Float64Array): number {
  return quantile(values, 0.5);
}

/** As many members as `most`, evenly spread. */
function spreadOver<Member>(all: readonly Member[], most: number): Member[] {
  const count = Math.min(most, all.length);
  return Array.from({ length: count }, (_, i) => all[Math.floor(((i + 0.5) * all.length) / count)] as Member);
}

// Keeps the control charts of runs: each rests on every sample of an assay, and most requests find nothing changed.

interface ChartQuestion {
  build: Build;
  assay: string;
  /** Registered samples of the build, of any assay. */
  members: readonly Member[];
}

/** The chart of an assay; undefined if there is none (see `runChart`). */
export type RunCharts = (question: ChartQuestion, signal: AbortSignal) => Promise<RunChart | undefined>;

/** Assays whose charts are kept. */
const mostKept = 20;

export function createRunCharts(cohorts: Cohorts, intervals: Pick<IntervalRepository, 'sets'>): RunCharts {
  const kept = new RecentlyUsed<{ state: string; chart: RunChart | undefined }>(mostKept);
  return async (question, signal) => {
    const { build, assay } = question;
    const members = question.members.filter((member) => member.assay === assay);
    const state = await stateOf({ build, assay, members }, signal);
    const key = `${build} ${assay}`;
    const known = kept.get(key);
    if (known?.state === state) return known.chart;
    const chart = await runChart(cohorts, { build, assay, members }, signal);
    kept.set(key, { state, chart });
    return chart;
  };

  /** Another text whenever the chart may be another: samples, their files, their values, or the exons. */
  async function stateOf({ build, members }: ChartQuestion, signal: AbortSignal): Promise<string> {
    const samples = members.map(({ id }) => id);
    const [sets, found] = await Promise.all([
      intervals.sets({ signal }),
      cohorts.values({ build, targets: [], thresholds: [], samples }, signal),
    ]);
    const own = sets.filter((set) => set.build === build).map(({ kind, checksum, loaded }) => [kind, checksum, loaded]);
    return createHash('sha256')
      .update(JSON.stringify([own, members, found.samples, [...found.medians]]))
      .digest('hex');
  }
}
