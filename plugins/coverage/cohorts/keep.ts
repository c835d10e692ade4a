/** Keeps the values of registered samples: adds those of files that were checked, and those that are missing. */
import type { Erasures } from '../../../core/plugin.js';
import type { StorageScope } from '../../../core/storage.js';
import {
  builds,
  coverageCohorts,
  coverageSamples,
  type RegisteredSample,
  type SampleCheck,
  type SampleRepository,
} from '../contract.js';
import { isAboutFile } from '../domain/create-measure.js';
import type { Location } from '../domain/location.js';
import type { CheckControl, Follow, SampleFollower } from '../registry/changes.js';
import type { CoverageSources } from '../sources/sources.js';
import { arrangeCohort, isArranged } from './arrange.js';
import { columnBlocks } from './blocks.js';
import { type ColumnTools, readColumn } from './column.js';
import type { CohortEntry, CohortRepository, ColumnBlock } from './contract.js';
import { KnownCohorts } from './known.js';
import { currentLayout, isCurrent, type LayoutTools } from './layout.js';

export interface CohortTools extends LayoutTools, ColumnTools {
  cohorts: CohortRepository;
  sources: Pick<CoverageSources, 'use' | 'coverageFile'>;
  /** People who object to sharing are not part of cohorts. */
  erasures: Pick<Erasures, 'objecting'>;
}

/** Samples that are read at once. */
const portion = 100;

/** Takes samples out of the cohort with their registration; without tools it adds none. */
export function cohortFollower(tools?: CohortTools): SampleFollower {
  return {
    ...(tools && {
      checked: async ({ sample, outcome, location }, control) => {
        const isShared = !(await tools.erasures.objecting('sample')).has(sample.id);
        const read = isShared ? await columnOf(tools, sample, outcome.check, location, control) : undefined;
        return (scope) => addOrSuspend(scope, sample.id, read);
      },
    }),
    suspended: (scope, ids) => scope.repository(coverageCohorts).suspend(ids),
    removed: (scope, ids) => scope.repository(coverageCohorts).remove(ids),
  };
}

interface Column {
  layout: string;
  entry: CohortEntry;
  blocks: readonly ColumnBlock[];
}

/** Undefined if there is nothing to compare with, or if the file cannot be part of it. */
async function columnOf(
  tools: CohortTools,
  { id, build, file }: RegisteredSample,
  { fingerprint }: SampleCheck,
  location: Location,
  control: CheckControl,
): Promise<Column | undefined> {
  const current = await currentLayout(tools, build, control.signal);
  if (current === undefined) return undefined;
  const { id: layout, thresholds } = current.layout;
  const known = current.regions ?? (await new KnownCohorts(tools.cohorts).current(build))?.regions;
  if (known === undefined) return undefined;
  try {
    const { denominator, median, ...found } = await readColumn(location, known, thresholds, tools, control);
    const made = found.fingerprint === fingerprint ? columnBlocks(known, thresholds.length, found) : undefined;
    if (made === undefined) return undefined;
    const { blocks, ...facts } = made;
    const source = JSON.stringify([fingerprint, file.track]);
    return {
      layout,
      entry: { sample: id, source, denominator, ...facts, ...(median !== undefined && { median }) },
      blocks,
    };
  } catch (error) {
    if (!isAboutFile(error) || error.code === 'unavailable') throw error;
    return undefined;
  }
}

async function addOrSuspend(scope: StorageScope, id: string, column: Column | undefined): Promise<void> {
  const cohorts = scope.repository(coverageCohorts);
  // The layout may have been replaced meanwhile: the sample is then filled in.
  if (column !== undefined && (await cohorts.add(column.layout, column.entry, column.blocks))) return;
  await cohorts.suspend([id]);
}

/** Thrown inside a transaction, to roll it back. */
class Outdated extends Error {}

export interface FillTools extends CohortTools {
  samples: SampleRepository;
  transaction(work: (scope: StorageScope) => Promise<void>): Promise<void>;
}

/** Whether `fillCohorts` would do anything. */
export async function isFilled(tools: FillTools): Promise<boolean> {
  for (const build of builds) {
    if (!(await isCurrent(tools, build)) || !(await isArranged(tools.cohorts, build))) return false;
  }
  for await (const _ of missing(tools)) return false;
  return true;
}

/**
 * Brings the layouts up to date, adds ready samples without values, and arranges the values. A sample whose file cannot be read
 * now, or is not the one that was checked, is left out. Returns the number of samples that were added.
 */
export async function fillCohorts(tools: FillTools, control: CheckControl): Promise<number> {
  const { cohorts, sources } = tools;
  for (const build of builds) {
    if ((await currentLayout(tools, build, control.signal)) === undefined) await cohorts.clear(build);
  }
  await cohorts.sweep();
  const due: (RegisteredSample & { check: SampleCheck })[] = [];
  for await (const sample of missing(tools)) due.push(sample);
  let added = 0;
  for (const [i, sample] of due.entries()) {
    control.signal.throwIfAborted();
    await control.giveWay?.();
    try {
      const location = await sources.coverageFile(sample.file.path, sample.file.track);
      const column = await columnOf(tools, sample, sample.check, location, control);
      if (column !== undefined && (await addCurrent(tools, sample, column))) added += 1;
    } catch (error) {
      if (!isAboutFile(error)) throw error;
    }
    control.progress?.((i + 1) / due.length);
  }
  const { progress: _, ...quiet } = control;
  for (const build of builds) await arrangeCohort(cohorts, build, quiet);
  return added;
}

/** Adds the column if the sample is still as it was. */
async function addCurrent({ transaction }: FillTools, sample: RegisteredSample, column: Column): Promise<boolean> {
  const follow: Follow = async (scope) => {
    // Whoever removes or changes the sample waits for the cohort from here on.
    if (!(await scope.repository(coverageCohorts).add(column.layout, column.entry, column.blocks)))
      throw new Outdated();
    const [now] = await scope.repository(coverageSamples).find([sample.id]);
    if (now?.revision !== sample.revision || now.state !== 'ready') throw new Outdated();
  };
  try {
    await transaction(follow);
    return true;
  } catch (error) {
    if (error instanceof Outdated) return false;
    throw error;
  }
}

/** Ready samples that have no values, by id. */
async function* missing({
  samples,
  cohorts,
  intervals,
  erasures,
}: FillTools): AsyncGenerator<RegisteredSample & { check: SampleCheck }> {
  const objecting = await erasures.objecting('sample');
  const loaded = new Set((await intervals.sets()).map(({ build }) => build));
  const states = await Promise.all(builds.map((build) => cohorts.state(build)));
  const there = new Set(states.flatMap((state) => (state?.members ?? []).map(({ sample }) => sample)));
  for (let after: string | undefined; ; ) {
    const part = await samples.list({ states: ['ready'], ...(after !== undefined && { after }), limit: portion });
    for (const sample of part) {
      const { id, build, check } = sample;
      if (check !== undefined && loaded.has(build) && !there.has(id) && !objecting.has(id)) yield { ...sample, check };
    }
    after = part.at(-1)?.id;
    if (part.length < portion) return;
  }
}
