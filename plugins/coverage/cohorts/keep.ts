/** Keeps the values of registered samples: reads them from files that were checked, and adds those that are missing. */

import type { Erasures } from '../../../core/plugin.js';
import type { StorageScope } from '../../../core/storage.js';
import {
  builds,
  chromosomes,
  coverageCohorts,
  coverageSamples,
  type RegisteredSample,
  type SampleCheck,
  type SampleRepository,
} from '../contract.js';
import { type D4File, fingerprintD4 } from '../d4/index.js';
import { isAboutFile, type Location, namesInFile } from '../measure/measure.js';
import { lazyList, medianOfValues } from '../measure/region.js';
import type { CoverageSources } from '../measure/sources.js';
import type { WorkQueue } from '../measure/work-queue.js';
import type { CheckControl, Follow, SampleFollower } from '../samples/changes.js';
import { samplePages } from '../samples/find.js';
import { arrangeCohort, type ColumnValues, columnBlocks, isArranged } from './blocks.js';
import type { CohortEntry, CohortRepository, ColumnBlock } from './contract.js';
import { currentLayout, isCurrent, type LayoutTools } from './layout.js';
import { type CohortRegions, KnownCohorts } from './layout-regions.js';

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

interface SampleColumn {
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
): Promise<SampleColumn | undefined> {
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

async function addOrSuspend(scope: StorageScope, id: string, column: SampleColumn | undefined): Promise<void> {
  const cohorts = scope.repository(coverageCohorts);
  // The layout may have been replaced meanwhile: the sample is then filled in.
  if (column !== undefined && (await cohorts.add(column.layout, column.entry, column.blocks))) return;
  await cohorts.suspend([id]);
}

/** Thrown inside a transaction, to roll it back. */
class CohortOutdated extends Error {}

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
async function addCurrent(
  { transaction }: FillTools,
  sample: RegisteredSample,
  column: SampleColumn,
): Promise<boolean> {
  const follow: Follow = async (scope) => {
    // From here on, a removal or change of the sample waits for the cohort.
    if (!(await scope.repository(coverageCohorts).add(column.layout, column.entry, column.blocks)))
      throw new CohortOutdated();
    const [now] = await scope.repository(coverageSamples).find([sample.id]);
    if (now?.revision !== sample.revision || now.state !== 'ready') throw new CohortOutdated();
  };
  try {
    await transaction(follow);
    return true;
  } catch (error) {
    if (error instanceof CohortOutdated) return false;
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
  for await (const page of samplePages(samples, ['ready'], portion)) {
    for (const sample of page) {
      const { id, build, check } = sample;
      if (check !== undefined && loaded.has(build) && !there.has(id) && !objecting.has(id)) yield { ...sample, check };
    }
  }
}

// Reads the values of one sample from its file.

interface ColumnTools {
  sources: Pick<CoverageSources, 'use'>;
  queue: WorkQueue;
}

interface ColumnControl {
  signal: AbortSignal;
  giveWay?(): Promise<void>;
}

interface ReadColumn extends ColumnValues {
  fingerprint: string;
  denominator: number;
  /** Median of the mean depths of the autosomal exons with depth; omitted if there are none. */
  median?: number;
}

/** Regions that are read at once: the work queue serves requests between two portions. */
const targetPortion = 16_384;
/** Size of a portion in the work queue: every request is smaller. */
const portionSize = Number.MAX_SAFE_INTEGER;

/** Exact values at all regions, as reports measure them: bases that the file lacks count as 0. */
export async function readColumn(
  location: Location,
  regions: CohortRegions,
  thresholds: readonly number[],
  { sources, queue }: ColumnTools,
  { signal, giveWay }: ColumnControl,
): Promise<ReadColumn> {
  const values = {
    sums: new Float64Array(regions.size),
    counts: new Uint32Array(regions.size * thresholds.length),
  };
  const identity = await sources.use(location, async (file) => identityOf(file));
  for (let from = 0; from < regions.size; from += targetPortion) {
    await giveWay?.();
    const to = Math.min(from + targetPortion, regions.size);
    const work = () =>
      sources.use(location, (file) => readPortion(file, regions, { from, to }, thresholds, values, signal));
    await queue.run(portionSize, work, signal);
  }
  const median = medianDepth(regions, values.sums, identity.denominator);
  return { ...values, ...identity, ...(median !== undefined && { median }) };
}

function identityOf(file: D4File): { fingerprint: string; denominator: number } {
  return { fingerprint: fingerprintD4(file), denominator: file.track().denominator };
}

async function readPortion(
  file: D4File,
  regions: CohortRegions,
  { from, to }: { from: number; to: number },
  thresholds: readonly number[],
  { sums, counts }: ColumnValues,
  signal: AbortSignal,
): Promise<void> {
  const names = namesInFile(file.track().chromosomes, chromosomes);
  const places: number[] = [];
  for (let region = from; region < to; region++) {
    if (names.has(chromosomes[regions.chromosome[region] as number] as string)) places.push(region);
  }
  const intervals = lazyList(places.length, (i) => {
    const { chromosome, start, end } = regions.at(places[i] as number);
    return { chromosome: names.get(chromosome) as string, begin: start, end };
  });
  const found = await file.columns({ intervals, thresholds, signal });
  const each = thresholds.length;
  for (const [i, region] of places.entries()) {
    sums[region] = found.sums[i] as number;
    for (let t = 0; t < each; t++) counts[region * each + t] = found.counts[i * each + t] as number;
  }
}

function medianDepth(regions: CohortRegions, sums: Float64Array, denominator: number): number | undefined {
  const [, from, to] = regions.bounds;
  const means: number[] = [];
  for (let region = from; region < to; region++) {
    if (isAutosomal(regions, region) && (sums[region] as number) > 0) {
      means.push((sums[region] as number) / denominator / regions.length(region));
    }
  }
  return medianOfValues(means);
}

export function isAutosomal(regions: CohortRegions, region: number): boolean {
  return (regions.chromosome[region] as number) < chromosomes.indexOf('X');
}
