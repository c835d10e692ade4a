/**
 * Compaction: the rows of several segments, by place and with rows of one allele together, become one segment that is published
 * in their place.
 */
import { isFault, step } from '../../../core/storage.js';
import { farthest } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { listUnder } from '../lists.js';
import { type CarrierCopies, type CarrierPercents, decodeCarriers, type SegmentSample } from './carriers.js';
import { fractionsOfRows } from './fractions.js';
import { alleleSelection, type StoredAlleleRow } from './layout.js';
import { bounds, portionsByContig, type SegmentPortion, withinPortion } from './portions.js';
import { type PublishedSegment, published, takeStep } from './published.js';
import { largestLoads, type MergeableSegment, mergesOfSegments, type SegmentAllele, StagedSegment } from './segment.js';
import { discardSegment, sweepSegment } from './sweep.js';
import { copyUncalled } from './uncalled.js';

// Compaction: merges segments of a dataset (`mergesOfSegments`) into one that is staged, then published in their place under the
// revision of the dataset. Killed at any moment, the segments are merged or as they were, and the staged one is swept.

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

async function dueMerges(database: Database, dataset: string): Promise<MergeableSegment[][]> {
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
  const sources = new Map<number, Omit<MergeableSegment, 'samples'> & { cases: string[] }>();
  for (const { case_id, ...row } of rows) {
    const source = sources.get(row.id);
    if (source) source.cases.push(case_id);
    else sources.set(row.id, { ...row, rows: Number(row.rows), cases: [case_id] });
  }
  return mergesOfSegments([...sources.values()].map((source) => ({ ...source, samples: source.cases.length })));
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
    if (!taken) await discardSegment(database, merged.id);
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
  const byCode = new Map<number, MergedPart[]>();
  for (const { id, samples } of segments) {
    const own = new Map(samples.map(({ ordinal, name }) => [ordinal, ordinals.get(name) as number]));
    await copyUncalled(database, id, merged, (ordinal) => own.get(ordinal));
    await pause();
    for (const portion of await portionsByContig(database, id)) {
      listUnder(byCode, portion.contig).push({ portion, ordinals: own });
    }
  }
  for (const [, parts] of [...byCode].sort(([one], [other]) => one - other)) {
    for await (const rows of mergedRows(database, parts, pause)) {
      for (const { row, carriers, calls, percents } of rows) await merged.addRow(row, carriers, calls, percents);
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
    if (await takeStep(database, { dataset, revision, publish: [merged], drop: ids, change })) return true;
  }
}

// The rows of several segments on one contig, by place and with rows of one allele together, in bounded memory.

/** Rows that are in memory, of all segments together. */
const heldRows = 20_000;
/** Carriers that are in memory, if every sample carries every allele. */
const heldCarriers = 1_000_000;
/** Rows of a segment that are read at a time, at least. */
const leastRows = 500;
/** How far, in bases, the start of a row may lag behind those before it in the order in which an import stored them. */
const slack = 1000;

type SpannedRow = StoredAlleleRow & { span: number };

/** A row with its carriers by the ordinals of the merged segment. */
interface MergedRow {
  row: SegmentAllele;
  carriers: CarrierCopies;
  calls: number;
  /** Allele fractions of the carriers, if any is known. */
  percents: CarrierPercents | undefined;
}

/** A segment's rows on the contig, and its samples' ordinals in the merged segment by their ordinals in it. */
interface MergedPart {
  portion: SegmentPortion;
  ordinals: ReadonlyMap<number, number>;
}

/**
 * Rows are of one allele if they state the same of it: with other ranges they stay apart, so that the widest ranges are those of
 * the carriers that remain when some are removed. Rows come by start; of an import that was not sorted, rows of one allele
 * may come apart, which costs space alone.
 */
async function* mergedRows(
  database: Database,
  parts: readonly MergedPart[],
  pause: () => Promise<void>,
): AsyncGenerator<MergedRow[]> {
  const samples = Math.max(...parts.map(({ ordinals }) => ordinals.size));
  const held = Math.min(heldRows, heldCarriers / samples);
  const size = Math.max(Math.floor(held / parts.length), leastRows);
  const open = new Set(parts.map((part) => new Cursor(database, part, size)));
  let waiting: MergedRow[] = [];
  let byAllele = new Map<string, MergedRow>();
  while (open.size > 0) {
    const next = [...open].reduce((last, cursor) => (cursor.reached < last.reached ? cursor : last));
    await pause();
    for (const row of await next.read()) {
      const read = { row, carriers: next.carriersOf(row), calls: row.calls, percents: next.percentsOf(row) };
      const key = keyOfAllele(row);
      const known = byAllele.get(key);
      if (known && add(known, read)) continue;
      byAllele.set(key, read);
      waiting.push(read);
    }
    if (next.ended) open.delete(next);
    const reached = Math.min(...[...open].map((cursor) => cursor.reached));
    const complete = waiting.filter(({ row }) => row.start < reached);
    if (complete.length === 0) continue;
    waiting = waiting.filter(({ row }) => row.start >= reached);
    byAllele = new Map([...byAllele].filter(([, { row }]) => row.start >= reached));
    yield complete.sort((one, other) => one.row.start - other.row.start || one.row.stop - other.row.stop);
  }
}

function keyOfAllele({ start, stop, mate, reference, alternate, kind, structural, ranges }: SpannedRow): string {
  return `${start} ${stop} ${mate} ${reference} ${alternate} ${structural} ${kind} ${ranges}`;
}

/** Adds the carriers of another row, unless one row cannot hold them all. */
function add(merged: MergedRow, { calls, carriers, percents }: MergedRow): boolean {
  if (merged.calls + calls > farthest) return false;
  for (const ordinal of carriers.keys()) if (merged.carriers.has(ordinal)) return false;
  for (const [ordinal, copies] of carriers) merged.carriers.set(ordinal, copies);
  if (percents) merged.percents = new Map([...(merged.percents ?? []), ...percents]);
  merged.calls += calls;
  return true;
}

/** Reads the rows of a part in order, a few at a time. */
class Cursor {
  readonly #database: Database;
  readonly #part: MergedPart;
  readonly #size: number;
  #next: number;
  #highest = -1;
  /** By row of those that were read last. */
  #fractions: ReadonlyMap<number, CarrierPercents> = new Map();
  /** All rows that start before are read. */
  reached = -1;
  ended = false;

  constructor(database: Database, part: MergedPart, size: number) {
    this.#database = database;
    this.#part = part;
    this.#size = size;
    this.#next = part.portion.first;
  }

  async read(): Promise<SpannedRow[]> {
    const { first, last } = this.#part.portion;
    const isFew = last - first < this.#size;
    const rows = await this.#database.query<SpannedRow>(
      `select ${alleleSelection}, a.span from beacon_alleles a where ${withinPortion(this.#database.engine, 'a')} ` +
        // Sorting many would be done anew for every page; what an import stored is nearly in order.
        (isFew ? 'order by a.start, a.id' : `order by a.id limit ${this.#size}`),
      bounds({ ...this.#part.portion, first: this.#next }),
    );
    for (const { start } of rows) if (start > this.#highest) this.#highest = start;
    this.#fractions = await fractionsOfRows(
      this.#database,
      rows.map(({ id }) => Number(id)),
    );
    this.ended = isFew || rows.length < this.#size;
    this.reached = this.ended ? Number.POSITIVE_INFINITY : this.#highest - slack;
    this.#next = Number(rows.at(-1)?.id ?? last) + 1;
    return rows;
  }

  carriersOf(row: SpannedRow): CarrierCopies {
    return this.#renumbered(decodeCarriers(row.carriers, row.calls));
  }

  percentsOf({ id }: SpannedRow): CarrierPercents | undefined {
    const percents = this.#fractions.get(Number(id));
    return percents && this.#renumbered(percents);
  }

  #renumbered(values: ReadonlyMap<number, number>): Map<number, number> {
    const renumbered = new Map<number, number>();
    for (const [ordinal, value] of values) renumbered.set(this.#part.ordinals.get(ordinal) as number, value);
    return renumbered;
  }
}
