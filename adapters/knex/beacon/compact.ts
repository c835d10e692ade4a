/**
 * Compaction: merges segments of a dataset (`merges.ts`) into one that is staged, then published in their place under the
 * revision of the dataset. Killed at any moment, the segments are merged or as they were, and the staged one is swept.
 */
import { isFault, step } from '../../../core/storage.js';
import type { Database } from '../binding.js';
import type { SegmentSample } from './carriers.js';
import { largestLoads, mergesOf, type Source } from './merges.js';
import { byContig } from './portions.js';
import { type PublishedSegment, published, take } from './published.js';
import { StagedSegment } from './segment.js';
import { segmentSets, sweepSegment } from './sweep.js';
import { type Part, together } from './together.js';
import { copyUncalled } from './uncalled.js';

/** Called between small pieces of work; what it throws ends the work. */
type Pause = () => Promise<void>;

/** The datasets with segments that are due to be merged. */
export async function fragmentedDatasets(database: Database): Promise<string[]> {
  const rows = await database.query<{ dataset: string }>(
    "select dataset from beacon_segments where state = 'published' and loads <= ? " +
      'group by dataset having count(*) > 1',
    [largestLoads],
  );
  const fragmented: string[] = [];
  for (const { dataset } of rows) if ((await dueMerges(database, dataset)).length > 0) fragmented.push(dataset);
  return fragmented.sort();
}

/** Merges one group of segments of a dataset; returns how many groups are due then. */
export async function compactNext(database: Database, dataset: string, pause: Pause): Promise<number> {
  const [merge] = await dueMerges(database, dataset);
  if (!merge) return 0;
  const ids = merge.map(({ id }) => id);
  try {
    await mergeSegments(database, dataset, ids, pause);
  } catch (error) {
    // With the dataset, the segments and the staged one are removed.
    if (!isFault(error) || (await stillPublished(database, dataset, ids))) throw error;
  }
  return (await dueMerges(database, dataset)).length;
}

async function dueMerges(database: Database, dataset: string): Promise<Source[][]> {
  const rows = await database.query<{
    id: number;
    generation: number;
    loads: number;
    rows: number | string;
    case_id: string;
  }>(
    'select g.id, g.generation, g.loads, coalesce(f.case_id, s.name) as case_id, ' +
      '(select coalesce(max(e.last) - min(e.first) + 1, 0) from beacon_extents e where e.segment = g.id) as rows ' +
      'from beacon_segments g join beacon_samples s on s.segment = g.id ' +
      'left join beacon_sample_facts f on f.dataset = g.dataset and f.name = s.name ' +
      "where g.dataset = ? and g.state = 'published' and g.loads <= ?",
    [dataset, largestLoads],
  );
  const sources = new Map<number, Source & { cases: string[] }>();
  for (const { case_id, ...row } of rows) {
    const source = sources.get(row.id);
    if (source) source.cases.push(case_id);
    else sources.set(row.id, { ...row, rows: Number(row.rows), samples: 0, cases: [case_id] });
  }
  return mergesOf([...sources.values()].map((source) => ({ ...source, samples: source.cases.length })));
}

async function mergeSegments(database: Database, dataset: string, ids: readonly number[], pause: Pause): Promise<void> {
  const before = await stillPublished(database, dataset, ids);
  if (!before) return;
  const { segments } = before;
  const samples = samplesOf(segments);
  const merged = await StagedSegment.open(database, dataset, samples, {
    generation: segments[0]?.generation ?? 0,
    loads: segments.reduce((sum, { loads }) => sum + loads, 0),
  });
  let taken = false;
  try {
    await fill(database, merged, segments, samples, pause);
    step('beacon.compact.staged');
    taken = await replace(database, dataset, ids, merged.id);
    if (taken) for (const id of ids) await sweepSegment(database, id);
  } finally {
    merged.close();
    if (!taken) await segmentSets.discard(database, merged.id);
  }
}

/** The segments in this order with the revision of the dataset, if all are published. */
async function stillPublished(
  database: Database,
  dataset: string,
  ids: readonly number[],
): Promise<{ revision: number; segments: PublishedSegment[] } | undefined> {
  try {
    const { revision, segments } = await published(database, dataset);
    const byId = new Map(segments.map((segment) => [segment.id, segment]));
    const found = ids.flatMap((id) => byId.get(id) ?? []);
    return found.length === ids.length ? { revision, segments: found } : undefined;
  } catch (error) {
    if (isFault(error) && error.code === 'not-found') return undefined;
    throw error;
  }
}

/** Distinct samples, numbered. */
function samplesOf(segments: readonly PublishedSegment[]): SegmentSample[] {
  const names = new Set(segments.flatMap(({ samples }) => samples.map(({ name }) => name)));
  return [...names].map((name, ordinal) => ({ ordinal, name }));
}

async function fill(
  database: Database,
  merged: StagedSegment,
  segments: readonly PublishedSegment[],
  samples: readonly SegmentSample[],
  pause: Pause,
): Promise<void> {
  const ordinals = new Map(samples.map(({ ordinal, name }) => [name, ordinal]));
  const byCode = new Map<number, Part[]>();
  for (const { id, samples } of segments) {
    const own = new Map(samples.map(({ ordinal, name }) => [ordinal, ordinals.get(name) as number]));
    await copyUncalled(database, id, merged, (ordinal) => own.get(ordinal));
    await pause();
    for (const portion of await byContig(database, id)) {
      const parts = byCode.get(portion.contig);
      if (parts === undefined) byCode.set(portion.contig, [{ portion, ordinals: own }]);
      else parts.push({ portion, ordinals: own });
    }
  }
  for (const [, parts] of [...byCode].sort(([one], [other]) => one - other)) {
    for await (const rows of together(database, parts, pause)) {
      for (const { row, carriers, calls } of rows) await merged.addRow(row, carriers, calls);
    }
  }
  await merged.flush();
}

/** Publishes the merged segment in the place of the others; returns whether they were still there. */
async function replace(database: Database, dataset: string, ids: readonly number[], merged: number): Promise<boolean> {
  for (;;) {
    const before = await stillPublished(database, dataset, ids);
    if (!before) return false;
    // What is visible is the same, and so are the totals.
    const change = { alleles: 0, calls: 0, samples: 0 };
    const { revision } = before;
    if (await take(database, { dataset, revision, publish: [merged], drop: ids, change })) return true;
  }
}
