/** Brings the layout of a build up to date with its interval sets. */
import type { Build, IntervalRepository } from '../contract.js';
import type { CohortLayout, CohortRepository } from './contract.js';
import { currentRegions, currentSets } from './current-regions.js';
import { type CohortRegions, layoutId } from './regions.js';

export interface LayoutTools {
  intervals: Pick<IntervalRepository, 'sets' | 'each'>;
  cohorts: Pick<CohortRepository, 'layouts' | 'use' | 'regions'>;
  /** Depths, ascending, whose counts are stored. */
  thresholds: readonly number[];
  /** Bases of introns beside coding segments. */
  splice: number;
}

/** Whether the layout is the one of the current interval sets, or there are none. */
export async function isCurrent(
  { intervals, cohorts, thresholds, splice }: LayoutTools,
  build: Build,
): Promise<boolean> {
  const [sets, layout] = await Promise.all([currentSets(intervals, build, splice), layoutOf(cohorts, build)]);
  if (sets === undefined) return layout === undefined;
  return layout?.sets === sets && String(layout.thresholds) === String(thresholds);
}

/** The layout of the current interval sets; undefined if there are none. */
export async function currentLayout(
  tools: LayoutTools,
  build: Build,
  signal: AbortSignal,
): Promise<{ layout: CohortLayout; regions?: CohortRegions } | undefined> {
  const { intervals, cohorts, thresholds, splice } = tools;
  for (;;) {
    const known = await layoutOf(cohorts, build);
    if (known !== undefined && (await isCurrent(tools, build))) return { layout: known };
    const sets = await currentSets(intervals, build, splice);
    if (sets === undefined) return undefined;
    const regions = await currentRegions(intervals, build, splice, signal);
    // Otherwise the regions may be partly of other sets.
    if ((await currentSets(intervals, build, splice)) !== sets) continue;
    const pieces = regions.describe();
    const layout = { id: layoutId(pieces, build, thresholds), build, thresholds, sets };
    await cohorts.use(layout, pieces);
    return { layout, regions };
  }
}

async function layoutOf(cohorts: Pick<CohortRepository, 'layouts'>, build: Build): Promise<CohortLayout | undefined> {
  return (await cohorts.layouts()).find((one) => one.build === build);
}
