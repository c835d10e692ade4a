/** Reads the values of one sample from its file. */

import { chromosomes } from '../contract.js';
import type { D4File } from '../d4/file.js';
import { listOf } from '../domain/list.js';
import type { Location } from '../domain/location.js';
import { medianOf } from '../domain/median.js';
import { namesInFile } from '../domain/names.js';
import type { WorkQueue } from '../domain/work-queue.js';
import type { CoverageSources } from '../sources/sources.js';
import type { ColumnValues } from './blocks.js';
import type { CohortRegions } from './regions.js';

export interface ColumnTools {
  sources: Pick<CoverageSources, 'use'>;
  queue: WorkQueue;
}

export interface ColumnControl {
  signal: AbortSignal;
  giveWay?(): Promise<void>;
}

export interface ReadColumn extends ColumnValues {
  fingerprint: string;
  denominator: number;
  /** Median of the mean depths of the autosomal exons with depth; omitted if there are none. */
  median?: number;
}

/** Regions that are read at once: the work queue serves requests between two portions. */
const portion = 16_384;
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
  for (let from = 0; from < regions.size; from += portion) {
    await giveWay?.();
    const to = Math.min(from + portion, regions.size);
    const work = () =>
      sources.use(location, (file) => readPortion(file, regions, { from, to }, thresholds, values, signal));
    await queue.run(portionSize, work, signal);
  }
  const median = medianDepth(regions, values.sums, identity.denominator);
  return { ...values, ...identity, ...(median !== undefined && { median }) };
}

function identityOf(file: D4File): { fingerprint: string; denominator: number } {
  return { fingerprint: file.fingerprint(), denominator: file.track().denominator };
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
  const intervals = listOf(places.length, (i) => {
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
  return medianOf(means);
}

export function isAutosomal(regions: CohortRegions, region: number): boolean {
  return (regions.chromosome[region] as number) < chromosomes.indexOf('X');
}
