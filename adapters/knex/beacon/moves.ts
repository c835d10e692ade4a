/** Copies of segments with alleles in other places: those that another form moves. */
import {
  type Allele,
  addGreater,
  alleleKey,
  callsOf,
  copiesOfCall,
  farthest,
  fractionOfCall,
  type MovedAllele,
  meetCarriers,
  movedBy,
  type Rewriting,
} from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { type CarrierCopies, type CarrierPercents, decodeCarriers } from './carriers.js';
import { copiedRows } from './copy.js';
import { fractionsOfRows, fractionsWithin } from './fractions.js';
import { alleleOfRow, alleleSelection, type StoredAlleleRow, spanOfAllele } from './layout.js';
import { bounds, portionsByContig, type SegmentPortion, withinPortion } from './portions.js';
import type { PublishedSegment } from './published.js';
import { type SegmentAllele, StagedSegment } from './segment.js';
import { discardSegment } from './sweep.js';
import { copyUncalled, uncalledRows } from './uncalled.js';

/** The share that is done is that of all segments. */
type SegmentRewriting = Omit<Rewriting, 'pause'> & { pause(): Promise<void> };

/** A copy of a segment, which no reader sees. */
export interface MovedSegment {
  source: number;
  staged: StagedSegment;
  /** Rows of the segment whose alleles moved. */
  moved: number[];
  /** Rows of the copy with alleles that came there. */
  placed: number[];
  /** Copies that are not in it, of samples that had several forms of one change. */
  met: number;
}

type MovableRow = StoredAlleleRow & { span: number };

/** Undefined if no allele of the segment moves. */
export async function copyMoved(
  database: Database,
  dataset: string,
  segment: PublishedSegment,
  rewriting: SegmentRewriting,
): Promise<MovedSegment | undefined> {
  if (!(await anyMoves(database, segment, rewriting))) return undefined;
  const staged = await StagedSegment.open(database, dataset, segment.samples, segment);
  const copy: MovedSegment = { source: segment.id, staged, moved: [], placed: [], met: 0 };
  try {
    for (const portion of await portionsByContig(database, segment.id)) {
      await copyContig(database, portion, copy, rewriting);
    }
    await staged.flush();
    const placed = (row: MovableRow) => placedAt(row, movedBy(alleleOfRow(row), rewriting));
    await copyUncalled(database, segment.id, staged, (ordinal) => ordinal, placed);
    return copy;
  } catch (error) {
    staged.close();
    await discardSegment(database, staged.id);
    throw error;
  }
}

async function anyMoves(
  database: Database,
  { id, uncalled }: PublishedSegment,
  rewriting: SegmentRewriting,
): Promise<boolean> {
  const moves = (row: StoredAlleleRow) => movedBy(alleleOfRow(row), rewriting) !== undefined;
  for (const portion of await portionsByContig(database, id)) {
    for await (const rows of movable(database, portion)) {
      if (rows.some(moves)) return true;
      await rewriting.pause();
    }
  }
  if (uncalled) for await (const rows of uncalledRows(database, id)) if (rows.some(moves)) return true;
  return false;
}

/** Rows of a portion that may move, in parts. */
async function* movable(database: Database, portion: SegmentPortion): AsyncGenerator<StoredAlleleRow[]> {
  for (const part of partsOf(portion)) {
    yield await database.query<StoredAlleleRow>(
      `select ${alleleSelection} from beacon_alleles a where a.structural = 0 and a.kind in ('INS', 'DEL') ` +
        `and ${withinPortion(database.engine, 'a')}`,
      bounds(part),
    );
  }
}

function* partsOf({ contig, first, last }: SegmentPortion): Generator<SegmentPortion> {
  for (let from = first; from <= last; from += copiedRows) {
    yield { contig, first: from, last: Math.min(from + copiedRows - 1, last) };
  }
}

/** What comes to one place. */
interface Arrival {
  row: SegmentAllele;
  /** By ordinal (`callOf`). */
  calls: Map<number, number>;
}

/** All arrivals of the contig are known before its rows are copied: in bounded memory, since only they are held. */
async function copyContig(
  database: Database,
  portion: SegmentPortion,
  copy: MovedSegment,
  rewriting: SegmentRewriting,
): Promise<void> {
  const { arrivals, sources } = await arrivalsOn(database, portion, rewriting);
  let left = 0;
  for (const part of partsOf(portion)) {
    const rows = await database.query<MovableRow>(
      `select ${alleleSelection}, a.span from beacon_alleles a where ${withinPortion(database.engine, 'a')} order by a.id`,
      bounds(part),
    );
    await rewriting.pause();
    const fractions = await fractionsWithin(database, part);
    for (const row of rows) {
      const percents = fractions.get(Number(row.id));
      if (sources.has(Number(row.id))) {
        copy.moved.push(Number(row.id));
        left += row.calls;
        continue;
      }
      const carriers = decodeCarriers(row.carriers, row.calls);
      const arrival =
        row.reference.length === row.alternate.length ? undefined : arrivals.get(alleleKey(alleleOfRow(row)));
      if (arrival === undefined) await copy.staged.addRow(row, carriers, row.calls, percents);
      else {
        const calls = new Map(callsOf(carriers, percents));
        meetCarriers(calls, arrival.calls);
        left += row.calls - (await place(copy, { row, calls }));
      }
    }
  }
  const ordered = [...arrivals.values()].sort((one, other) => one.row.start - other.row.start);
  for (const arrival of ordered) left -= await place(copy, arrival);
  copy.met += left;
}

async function arrivalsOn(database: Database, portion: SegmentPortion, rewriting: SegmentRewriting) {
  const arrivals = new Map<string, Arrival>();
  const sources = new Set<number>();
  for await (const rows of movable(database, portion)) {
    const moved: MovedAllele[] = [];
    const fractions = await fractionsOfRows(
      database,
      rows.map(({ id }) => Number(id)),
    );
    for (const row of rows) {
      const from = alleleOfRow({ ...row, ranges: null });
      const to = movedBy(from, rewriting);
      if (to === undefined) continue;
      moved.push({ from, to });
      sources.add(Number(row.id));
      const key = alleleKey(to);
      const known = arrivals.get(key) ?? { row: placedAt({ ...row, span: 0 }, to), calls: new Map() };
      addGreater(known.calls, callsOf(decodeCarriers(row.carriers, row.calls), fractions.get(Number(row.id))));
      arrivals.set(key, known);
    }
    if (moved.length > 0) await rewriting.onMoved?.(moved);
    await rewriting.pause();
  }
  return { arrivals, sources };
}

function placedAt(row: MovableRow, to: Allele | undefined): SegmentAllele {
  if (to === undefined) return row;
  const { start, end: stop, reference, alternate, kind } = to;
  return { ...row, start, stop, reference, alternate, kind, span: spanOfAllele(to), ranges: null };
}

/** Adds carriers in as many rows as hold their copies; returns these. */
async function place({ staged, placed }: MovedSegment, arrival: Arrival): Promise<number> {
  let [part, calls, all]: [CarrierCopies, number, number] = [new Map(), 0, 0];
  let percents: CarrierPercents = new Map();
  const add = async () => {
    if (part.size > 0) placed.push(await staged.addRow(arrival.row, part, calls, percents));
    [part, percents, calls] = [new Map(), new Map(), 0];
  };
  for (const [ordinal, call] of arrival.calls) {
    const [copies, percent] = [copiesOfCall(call), fractionOfCall(call)];
    if (calls + copies > farthest) await add();
    part.set(ordinal, copies);
    if (percent !== undefined) percents.set(ordinal, percent);
    calls += copies;
    all += copies;
  }
  await add();
  return all;
}
