/**
 * Segments that no reader sees: staged ones, which imports keep alive until they publish them, and the deletion of those that were
 * given up or replaced. A segment is staged → published → dropped, or staged → dropped.
 */
import { Fault, isFault, step } from '../../../core/storage.js';
import type { Database } from '../binding.js';
import { slices } from '../lists.js';
import { rowRange } from './layout.js';
import { onContig, portionsOfSegment } from './portions.js';

/** Rows deleted in one transaction: other writers get their turn in between. */
const sweptRows = 20_000;

/**
 * Deletes a segment's rows, then the segment; returns false if readers or other servers leave that to a later sweep. Safe to
 * break off and to run twice at once.
 */
export async function sweepSegment(database: Database, segment: number): Promise<boolean> {
  const { partitioning } = database.engine;
  const far = (await database.run(async ({ write }) => partitioning?.farParts(write, 'beacon_alleles'))) ?? [];
  if (partitioning === undefined || far.length === 0) {
    await sweepRows(database, segment);
    return true;
  }
  if (!(await database.run(({ write }) => partitioning.olderReadersGone(write)))) return false;
  try {
    await sweepFar(database, segment, far);
    await sweepRows(database, segment);
    return true;
  } catch (error) {
    if (!isFault(error) || error.code !== 'unavailable') throw error;
    database.log.warn({ segment, reason: error.message }, 'rows that no reader sees are deleted later');
    return false;
  }
}

/** Rows on other servers are committed before the extents here: after a crash in between, some may be outside of them. */
async function sweepFar(database: Database, segment: number, contigs: readonly number[]): Promise<void> {
  for (const contig of contigs) {
    await database.run(({ write, engine }) =>
      write('beacon_alleles')
        .whereBetween('id', rowRange(segment))
        .whereRaw(onContig(engine, 'beacon_alleles'), [contig])
        .delete(),
    );
  }
  step('beacon.sweep.far');
}

async function sweepRows(database: Database, segment: number): Promise<void> {
  for (const { contig, first, last } of await portionsOfSegment(database, segment, sweptRows)) {
    await database.run(async ({ write, engine }) => {
      await write('beacon_alleles')
        .whereBetween('id', [first, last])
        .whereRaw(onContig(engine, 'beacon_alleles'), [contig])
        .delete();
      step('beacon.sweep.alleles');
      await write('beacon_breakends').whereBetween('id', [first, last]).delete();
      await write('beacon_fractions').whereBetween('id', [first, last]).delete();
    });
    step('beacon.sweep.portion');
  }
  await deleteUncalled(database, segment);
  await database.transaction(async ({ write }) => {
    await write('beacon_extents').where({ segment }).delete();
    step('beacon.sweep.extents');
    await write('beacon_samples').where({ segment }).delete();
    await write('beacon_segments').where({ id: segment, state: 'dropped' }).delete();
  });
}

async function deleteUncalled(database: Database, segment: number): Promise<void> {
  const within = 'id between ? and ?';
  const end = `select max(id) as last from (select id from beacon_uncalled where ${within} order by id limit ${sweptRows}) as swept`;
  for (let [first, last] = rowRange(segment); ; ) {
    const [row] = await database.query<{ last: number | string | null }>(end, [first, last]);
    if (row?.last == null) return;
    const portion = [first, row.last];
    await database.run(({ write }) => write('beacon_uncalled').whereRaw(within, portion).delete());
    first = database.engine.values.parseBig(row.last) + 1;
  }
}

/** Milliseconds between signs of life. */
const beatMs = 10_000;

/** Begins a staged segment; returns its number. */
export async function openSegment({ write }: Database, columns: object): Promise<number> {
  const segment = { ...columns, state: 'staged', last_beat: Date.now() };
  const [row] = await write('beacon_segments').insert(segment).returning('id');
  return Number(row?.id);
}

/** A sign of life, before each write. Throws a `conflict` fault if the segment is not staged any more. */
export async function touchSegment(database: Database, segment: number): Promise<void> {
  const sign = { last_beat: Date.now() };
  const touched = await database.run(({ write }) =>
    write('beacon_segments').where({ id: segment, state: 'staged' }).update(sign),
  );
  if (touched > 0) return;
  const why = 'it was idle for too long, or what it is for was removed';
  throw new Fault('conflict', `The load was given up meanwhile: ${why}`);
}

/** Gives signs of life for a staged segment until it is closed. `assertAlive` throws what one of them threw. */
export function keepSegmentAlive(
  database: Database,
  segment: number,
): { readonly assertAlive: () => void; readonly close: () => void } {
  let failure: unknown;
  const note = (error: unknown) => {
    failure ??= error;
  };
  const beat = setInterval(() => touchSegment(database, segment).catch(note), beatMs).unref();
  const assertAlive = () => {
    if (failure) throw failure;
  };
  return { assertAlive, close: () => clearInterval(beat) };
}

/** Abandons a staged segment at once. One in any other state stays: if the answer to a commit was lost, it may be published. */
export async function discardSegment(database: Database, segment: number): Promise<void> {
  const changes = { state: 'dropped', last_beat: Date.now() };
  const dropped = await database.run(({ write }) =>
    write('beacon_segments').where({ id: segment, state: 'staged' }).update(changes),
  );
  if (dropped > 0) await sweepSegment(database, segment);
}

/** Names that one statement looks for. */
const namesAtOnce = 500;

/**
 * Gives up staged segments without a sign of life since, and those of the samples, and deletes all that were dropped: no reader
 * continues with one. Returns how many are gone.
 */
export async function sweepSegments(
  database: Database,
  idleSince: Date,
  samples: readonly string[] = [],
): Promise<number> {
  for (const names of slices(samples, namesAtOnce)) {
    await database.run(async ({ write, engine }) => {
      const own = engine.whereIn(write('beacon_samples').select('segment'), 'name', names);
      await write('beacon_segments').where({ state: 'staged' }).whereIn('id', own).update({ state: 'dropped' });
    });
  }
  await database.run(({ write }) =>
    write('beacon_segments')
      .where({ state: 'staged' })
      .andWhere('last_beat', '<', idleSince.getTime())
      .update({ state: 'dropped' }),
  );
  const selection = "select id from beacon_segments where state = 'dropped' order by id";
  let gone = 0;
  for (const { id } of await database.query<{ id: number }>(selection, [])) {
    if (await sweepSegment(database, id)) gone += 1;
  }
  return gone;
}

/** Segments that are staged, or dropped and not yet swept. */
export async function leftovers(database: Database): Promise<number> {
  const [row] = await database.query<{ segments: number | string }>(
    "select count(*) as segments from beacon_segments where state <> 'published'",
    [],
  );
  return Number(row?.segments ?? 0);
}
