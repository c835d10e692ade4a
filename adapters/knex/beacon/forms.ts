/**
 * Another form for the alleles of a dataset: segments with alleles that move are copied with these in their places (`moves.ts`), and
 * the copies are published in the place of the segments, together with the form. Killed at any moment, the dataset has one form or
 * the other, and copies that are staged are swept.
 */
import { isFault, step } from '../../../core/storage.js';
import { callOf, callsOf, type Rewriting, type Rewritten } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { listUnder, slices } from '../lists.js';
import { type CarrierPercents, decodeCarriers, eachCarrier, type SegmentSample } from './carriers.js';
import { alsoIn, copyRows, type Repeats } from './copy.js';
import { fractionsOfRows } from './fractions.js';
import { segmentOfRow } from './layout.js';
import { copyMoved, type MovedSegment } from './moves.js';
import { bounds, portionsByContig } from './portions.js';
import { allelesOnlyIn, type DatasetPublication, type PublishedSegment, published, takeStep } from './published.js';
import { StagedSegment } from './segment.js';
import { discardSegment, sweepSegment } from './sweep.js';

export async function rewriteAlleles(
  database: Database,
  dataset: string,
  rewriting: Rewriting,
  now: Date,
): Promise<Rewritten | undefined> {
  // Of segments, which never change: imports and removals meanwhile only add to the work, however often the step is taken anew.
  const copies = new Map<number, MovedSegment | undefined>();
  const staged: StagedSegment[] = [];
  const seen = new Set<number>();
  try {
    for (;;) {
      const state = await published(database, dataset);
      if (state.alignedTo === rewriting.alignedTo) return undefined;
      for (const [i, segment] of state.segments.entries()) {
        if (copies.has(segment.id)) continue;
        const pause = async () => rewriting.pause?.(i / state.segments.length);
        const copy = await copyMoved(database, dataset, segment, { ...rewriting, pause });
        copies.set(segment.id, copy);
        if (copy) staged.push(copy.staged);
      }
      step('beacon.rewrite.copied');
      const rewritten = await publishForm(database, { dataset, state, copies, staged, seen }, rewriting, now);
      if (rewritten) return rewritten;
    }
  } catch (error) {
    // With the dataset, segments and copies are removed.
    if (isFault(error) && !(await exists(database, dataset))) return undefined;
    throw error;
  } finally {
    for (const copy of staged) {
      copy.close();
      if (!seen.has(copy.id)) await discardSegment(database, copy.id);
    }
  }
}

async function exists(database: Database, dataset: string): Promise<boolean> {
  return (await database.query('select 1 as one from beacon_datasets where id = ?', [dataset])).length > 0;
}

interface FormPublication {
  dataset: string;
  state: DatasetPublication;
  /** By segment; none of one in which no allele moves. */
  copies: ReadonlyMap<number, MovedSegment | undefined>;
  /** Takes up further copies. */
  staged: StagedSegment[];
  /** Takes up those that are published. */
  seen: Set<number>;
}

/** Returns undefined if the dataset is no longer in the state. */
async function publishForm(
  database: Database,
  { dataset, state: { revision, segments }, copies, staged, seen }: FormPublication,
  { alignedTo }: Rewriting,
  now: Date,
): Promise<Rewritten | undefined> {
  const moved = segments.flatMap(({ id }) => copies.get(id) ?? []);
  const met = await metElsewhere(database, segments, copies);
  const rewritten = await changeOf(database, dataset, moved);
  const replaced = new Map(moved.map((copy) => [copy.source, copy.staged.id]));
  for (const { id, samples, ...segment } of segments) {
    const stored = replaced.get(id) ?? id;
    const lost = met.get(stored);
    if (lost === undefined) continue;
    const rest = await StagedSegment.open(database, dataset, samples, segment);
    staged.push(rest);
    const { calls } = await copyRows(database, stored, rest, async () => (row) => lost.get(Number(row.id)) ?? []);
    rewritten.calls += calls;
    replaced.set(id, rest.id);
  }
  step('beacon.rewrite.counted');
  const taken = await takeStep(database, {
    ...{ dataset, revision, publish: [...replaced.values()], drop: [...replaced.keys()] },
    change: { alleles: -rewritten.alleles, calls: -rewritten.calls, samples: 0 },
    facts: async ({ write }) =>
      (await write('beacon_datasets').where({ id: dataset }).update({ aligned_to: alignedTo })) > 0,
    now,
  });
  if (!taken) return undefined;
  for (const id of replaced.values()) seen.add(id);
  for (const id of replaced.keys()) await sweepSegment(database, id);
  return rewritten;
}

async function changeOf(database: Database, dataset: string, copies: readonly MovedSegment[]): Promise<Rewritten> {
  const [sources, targets] = [copies.map(({ source }) => source), copies.map(({ staged }) => staged.id)];
  const gone = await allelesOnlyIn(database, sources, dataset, {
    ...{ without: sources, with: targets },
    among: new Map(copies.map(({ source, moved }) => [source, moved])),
  });
  const among = new Map(copies.map(({ staged, placed }) => [staged.id, placed]));
  const fresh = await allelesOnlyIn(database, targets, dataset, { among });
  return { moved: gone, alleles: gone - fresh, calls: copies.reduce((sum, { met }) => sum + met, 0) };
}

/** Rows that one statement looks for. */
const rowsAtOnce = 500;

interface MeetingRow {
  id: number | string;
  carriers: string | null;
  calls: number;
  ranges: string | null;
  there: number | string;
  carriers_there: string | null;
  calls_there: number;
  ranges_there: string | null;
  /** Allele fractions. */
  percents?: CarrierPercents | undefined;
  percents_there?: CarrierPercents | undefined;
}

/**
 * Carriers that have an allele in another segment, too, since alleles moved, and lose it where they have fewer copies of it: by
 * segment, and row. Samples of one segment alone have none.
 */
async function metElsewhere(
  database: Database,
  segments: readonly PublishedSegment[],
  copies: FormPublication['copies'],
): Promise<Map<number, Repeats>> {
  const found = new Map<number, Repeats>();
  const all = segments.map(({ id, samples }) => ({
    id: copies.get(id)?.staged.id ?? id,
    samples,
    copy: copies.get(id),
  }));
  const names = new Map(all.map(({ id, samples }) => [id, namesOf(samples)]));
  const holding = new Map<string, number[]>();
  for (const { id, samples } of all) for (const { name } of samples) listUnder(holding, name).push(id);
  for (const { id, samples, copy } of all) {
    const others = new Set(samples.flatMap(({ name }) => holding.get(name) ?? []));
    others.delete(id);
    if (copy === undefined || others.size === 0) continue;
    const ordinals = new Map(samples.map(({ ordinal, name }) => [name, ordinal]));
    for await (const row of rowsMeeting(database, copy, [...others])) {
      const mine = new Map(callsOf(decodeCarriers(row.carriers, row.calls), row.percents));
      const there = segmentOfRow({ id: row.there });
      eachCarrier(row.carriers_there, row.calls_there, (other, copiesThere) => {
        const ordinal = ordinals.get(names.get(there)?.get(other) ?? '') ?? -1;
        const here = mine.get(ordinal);
        if (here === undefined) return;
        const more =
          here - callOf(copiesThere, row.percents_there?.get(other)) ||
          Number(row.ranges !== null) - Number(row.ranges_there !== null);
        if (more > 0 || (more === 0 && id < there)) addTo(found, there, row.there, other);
        else addTo(found, id, row.id, ordinal);
      });
    }
  }
  return found;
}

function namesOf(samples: readonly SegmentSample[]): Map<number, string> {
  return new Map(samples.map(({ ordinal, name }) => [ordinal, name]));
}

function addTo(found: Map<number, Repeats>, segment: number, row: number | string, ordinal: number): void {
  const rows: Repeats = found.get(segment) ?? new Map();
  found.set(segment, rows.set(Number(row), (rows.get(Number(row)) ?? new Set()).add(ordinal)));
}

/** The rows of a copy with alleles that moved there, each with rows of its allele in the other segments. */
async function* rowsMeeting(
  database: Database,
  { staged, placed }: MovedSegment,
  others: readonly number[],
): AsyncGenerator<MeetingRow> {
  const columns =
    's.id, s.carriers, s.calls, s.ranges, o.id as there, o.carriers as carriers_there, o.calls as calls_there, ' +
    'o.ranges as ranges_there';
  const meeting = alsoIn(
    database.engine,
    others.map((id) => ({ id })),
  );
  for (const portion of await portionsByContig(database, staged.id)) {
    const here = placed.filter((id) => id >= portion.first && id <= portion.last);
    for (const some of slices(here, rowsAtOnce)) {
      const text = `select ${columns} ${meeting} and s.id in (${some.map(() => '?').join(', ')})`;
      const rows = await database.query<MeetingRow>(text, [...bounds(portion), portion.contig, ...some]);
      const ids = rows.flatMap(({ id, there }) => [Number(id), Number(there)]);
      const fractions = await fractionsOfRows(database, ids);
      for (const row of rows) {
        yield { ...row, percents: fractions.get(Number(row.id)), percents_there: fractions.get(Number(row.there)) };
      }
    }
  }
}
