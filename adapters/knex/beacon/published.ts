/** What is published of a dataset, how often its alleles occur elsewhere, and the step from one state to the next. */
import { Fault, step } from '../../../core/storage.js';
import type { Assembly, Change } from '../../../plugins/beacon/contract.js';
import type { Database, Scalar } from '../binding.js';
import { slices } from '../lists.js';
import type { SegmentSample } from './carriers.js';
import { allelesByPlace, sameAllele, segmentRows } from './layout.js';
import { bounds, onContig, portionsByContig, portionsOfSegment, withinPortion } from './portions.js';
import { touchSegment } from './sweep.js';

export interface PublishedSegment {
  id: number;
  /** Segments of two generations are never merged. */
  generation: number;
  /** Whether it states of any sample that it was not called at an allele. */
  uncalled: boolean;
  /** Imports that it was merged from; 1 if it is as it was imported. */
  loads: number;
  /** How its samples shared cases when its rows were counted; null if they were not. */
  grouping: string | null;
  samples: SegmentSample[];
}

/** One state of a dataset. */
export interface DatasetPublication {
  assembly: Assembly;
  alignedTo: string | undefined;
  revision: number;
  /** Whether it has no segment. */
  isEmpty: boolean;
  segments: PublishedSegment[];
}

interface SegmentRow extends SegmentSample {
  id: number;
  generation: number;
  loads: number;
  case_groups: string | null;
  uncalled: number | null;
}

/**
 * The present state; a `not-found` fault if the dataset does not exist. With `holding` only the segments that hold one of these
 * samples, for a change that leaves the others alone: it should not take longer the more samples there are.
 */
export async function published(
  database: Database,
  dataset: string,
  holding?: readonly string[],
): Promise<DatasetPublication> {
  return database.snapshot(async (snapshot) => {
    const { engine } = snapshot;
    const [found] = await snapshot.query<{
      assembly: Assembly;
      aligned_to: string | null;
      revision: number | string;
      filled: number | string;
    }>(
      'select d.assembly, d.aligned_to, d.revision, (select count(*) from (select 1 from beacon_segments g ' +
        "where g.dataset = d.id and g.state = 'published' limit 1) as first_segment) as filled " +
        'from beacon_datasets d where d.id = ?',
      [dataset],
    );
    if (!found) throw new Fault('not-found', `There is no dataset "${dataset}"`);
    // As truth values, which PostgreSQL does not turn into joins.
    const named =
      holding &&
      'and (g.id in (select h.id from beacon_segments h join beacon_samples n on n.segment = h.id ' +
        "where h.dataset = ? and h.state = 'published' " +
        `and (n.name in (select q.name from ${engine.bound({ name: 'text' })} q)) is true)) is true `;
    const rows = await snapshot.query<SegmentRow>(
      'select g.id, g.generation, g.loads, g.case_groups, g.uncalled, s.ordinal, s.name from beacon_segments g join beacon_samples s on s.segment = g.id ' +
        `where g.dataset = ? and g.state = 'published' ${named ?? ''}order by g.id, s.ordinal`,
      [dataset, ...(holding ? [dataset, engine.values.json(holding.map((name) => [name])) as string] : [])],
    );
    const segments = new Map<number, PublishedSegment>();
    for (const { id, generation, loads, case_groups: grouping, uncalled, ordinal, name } of rows) {
      const segment = segments.get(id);
      if (segment) segment.samples.push({ ordinal, name });
      else
        segments.set(id, {
          id,
          generation,
          loads,
          grouping,
          uncalled: uncalled === 1,
          samples: [{ ordinal, name }],
        });
    }
    return {
      assembly: found.assembly,
      alignedTo: found.aligned_to ?? undefined,
      revision: Number(found.revision),
      isEmpty: Number(found.filled) === 0,
      segments: [...segments.values()],
    };
  });
}

/** Distinct names over all segments. */
export function sampleNames(segments: readonly PublishedSegment[]): Set<string> {
  return new Set(segments.flatMap(({ samples }) => samples.map(({ name }) => name)));
}

/** Calls in segments. */
export async function callsIn(database: Database, segments: readonly number[]): Promise<number> {
  let calls = 0;
  for (const segment of segments) {
    for (const portion of await portionsOfSegment(database, segment)) {
      const [row] = await database.query<{ calls: number | string | null }>(
        `select sum(a.calls) as calls from beacon_alleles a where ${withinPortion(database.engine, 'a')}`,
        bounds(portion),
      );
      calls += Number(row?.calls ?? 0);
    }
  }
  return calls;
}

/** Rows that one statement looks for by their ids. */
const rowsAtOnce = 500;

interface Elsewhere {
  /** Segments of the dataset that do not count. */
  without?: readonly number[];
  /** Others that do. */
  with?: readonly number[];
  /** Only these rows of a segment are looked at: an allele that it may lose has one of them. */
  among?: ReadonlyMap<number, readonly number[]>;
}

/**
 * How many distinct alleles of `segments` stand in no other segment that counts: the dataset's published ones less
 * `without`, and those of `with`.
 */
export async function allelesOnlyIn(
  database: Database,
  segments: readonly number[],
  dataset: string,
  { without = [], with: also = [], among }: Elsewhere = {},
): Promise<number> {
  // Among the segments themselves the row with the lowest id stands for its allele. Rows are looked up one at a time, each by
  // itself, until one counts: a planner that made joins of it would read all rows of an allele, or all segments, for each.
  const { engine } = database;
  const counts =
    `(g.dataset = ? and g.state = 'published' and g.id not in (${segmentList(without)}) and g.id not in (${segmentList(segments)})) ` +
    `or g.id in (${segmentList(also)}) or (g.id in (${segmentList(segments)}) and o.id < s.id)`;
  const only =
    `(select 1 from ${allelesByPlace(engine)} o where ${sameAllele} and ${onContig(engine, 'o')} and ` +
    `(select 1 from beacon_segments g where g.id = o.id / ${segmentRows} and (${counts})) is not null limit 1) is null`;
  const count = async (rows: string, bindings: readonly Scalar[], contig: number) => {
    const text = `select count(*) as alleles from beacon_alleles s where ${rows} and ${only}`;
    const [row] = await database.query<{ alleles: number | string }>(text, [...bindings, contig, dataset]);
    return Number(row?.alleles ?? 0);
  };
  let alleles = 0;
  for (const segment of segments) {
    const lost = among?.get(segment);
    for (const portion of lost
      ? await portionsByContig(database, segment)
      : await portionsOfSegment(database, segment)) {
      if (!lost) alleles += await count(withinPortion(engine, 's'), bounds(portion), portion.contig);
      else {
        const { contig, first, last } = portion;
        const here = lost.filter((id) => id >= first && id <= last);
        for (const some of slices(here, rowsAtOnce)) {
          // Always as many, so that the statement is the same.
          const ids = Array.from({ length: rowsAtOnce }, (_, n) => some[n] ?? -1);
          const rows = `s.id in (${ids.map(() => '?').join(', ')}) and ${onContig(engine, 's')}`;
          alleles += await count(rows, [...ids, contig], contig);
        }
      }
    }
  }
  return alleles;
}

/** Segment numbers as SQL text: they are whole numbers of our own making. */
function segmentList(segments: readonly number[]): string {
  return segments.length === 0 ? '-1' : segments.map(Math.trunc).join(', ');
}

export interface PublicationStep {
  dataset: string;
  /** The revision from which the step was computed. */
  revision: number;
  publish: readonly number[];
  drop: readonly number[];
  /** What was staged for the step: if a sweep gave it up, what is published of it may lack rows. */
  staged?: number;
  /** Added to the dataset's totals. */
  change: Change;
  /** Changes what is known of samples, in the same transaction; returns whether there was anything to change. */
  facts?: (scoped: Database) => Promise<boolean>;
  /** When the dataset was updated; as it was if omitted. */
  now?: Date;
}

/**
 * Takes the dataset from one state to the next, or returns false if it is no longer in the state that the step assumes.
 * A handful of small rows, whatever the size of the segments.
 */
export async function takeStep(database: Database, next: PublicationStep): Promise<boolean> {
  const taken = await database.transaction(async (scoped) => {
    const { write, engine } = scoped;
    const found = await engine.forUpdate(write('beacon_datasets').where({ id: next.dataset })).first();
    if (!found) throw new Fault('not-found', `There is no dataset "${next.dataset}"`);
    if (engine.values.parseBig(found.revision) !== next.revision) return false;
    if (next.staged !== undefined) await touchSegment(scoped, next.staged);
    const moved =
      (await move(write, next.publish, 'staged', 'published')) + (await move(write, next.drop, 'published', 'dropped'));
    if (moved !== next.publish.length + next.drop.length) {
      throw new Fault('conflict', 'The load was given up meanwhile because it was idle too long');
    }
    step('beacon.publish.moved');
    const described = await next.facts?.(scoped);
    if (moved === 0 && !described) return true;
    step('beacon.publish.described');
    await write('beacon_datasets')
      .where({ id: next.dataset })
      .update({
        allele_count: engine.values.parseBig(found.allele_count) + next.change.alleles,
        call_count: engine.values.parseBig(found.call_count) + next.change.calls,
        sample_count: engine.values.parseBig(found.sample_count) + next.change.samples,
        revision: next.revision + 1,
        ...(next.now && { updated: engine.values.time(next.now) }),
      });
    step('beacon.publish.totalled');
    return true;
  });
  if (taken) step('beacon.publish.committed');
  return taken;
}

async function move(write: Database['write'], segments: readonly number[], from: string, to: string): Promise<number> {
  let moved = 0;
  for (const id of segments) moved += await write('beacon_segments').where({ id, state: from }).update({ state: to });
  return moved;
}
