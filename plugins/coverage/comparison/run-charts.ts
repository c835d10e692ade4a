/** Keeps the control charts of runs: each rests on every sample of an assay, and most requests find nothing changed. */
import { createHash } from 'node:crypto';
import type { Cohorts } from '../cohorts/values.js';
import type { Build, IntervalRepository } from '../contract.js';
import { Recent } from '../d4/recent.js';
import type { Member } from './cohort.js';
import { type RunChart, runChart } from './runs.js';

export interface ChartQuestion {
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
  const kept = new Recent<{ state: string; chart: RunChart | undefined }>(mostKept);
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
