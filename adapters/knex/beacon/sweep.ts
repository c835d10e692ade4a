/** Deletion of segments that no reader can see. */
import { isFault, step } from '../../../core/storage.js';
import type { Database } from '../binding.js';
import { deleteRows, StagedSets } from '../staged-sets.js';
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
    });
    step('beacon.sweep.portion');
  }
  await deleteRows(database, 'beacon_uncalled', 'id', 'id between ? and ?', rowRange(segment));
  await database.transaction(async ({ write }) => {
    await write('beacon_extents').where({ segment }).delete();
    step('beacon.sweep.extents');
    await write('beacon_samples').where({ segment }).delete();
    await write('beacon_segments').where({ id: segment, state: 'dropped' }).delete();
  });
}

export const segmentSets: StagedSets<{ id: number }> = new StagedSets({
  ...{ table: 'beacon_segments', number: 'id', sign: 'last_sign', atOnce: true },
  free: (database, { id }) => sweepSegment(database, id),
});

/** Segments that are staged, or dropped and not yet swept. */
export async function leftovers(database: Database): Promise<number> {
  const [row] = await database.query<{ segments: number | string }>(
    "select count(*) as segments from beacon_segments where state <> 'published'",
    [],
  );
  return Number(row?.segments ?? 0);
}
