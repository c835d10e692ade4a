/** Deletes sets that are no longer used. */
import type { SetKind } from '../../../plugins/coverage/contract.js';
import type { Database } from '../binding.js';
import { rowRange, tables } from './layout.js';

/** Rows deleted in one transaction: other writers can write in between. */
const sweptRows = 20_000;

/** Deletes a set's rows, then the set. May be interrupted, and may run several times concurrently. */
async function sweepSet(database: Database, id: number, kind: SetKind): Promise<void> {
  const [first, last] = rowRange(id);
  for (let from = first; ; ) {
    const [row] = await database.query<{ highest: number | string | null }>(
      `select max(id) as highest from (select id from ${tables[kind]} where id between ? and ? order by id limit ?) as swept`,
      [from, last, sweptRows],
    );
    if (row?.highest == null) break;
    const highest = database.engine.values.parseBig(row.highest);
    await database.run(({ write }) => write(tables[kind]).whereBetween('id', [from, highest]).delete());
    from = highest + 1;
  }
  await database.run(({ write }) => write('coverage_sets').where({ id, state: 'dropped' }).delete());
}

/**
 * Abandons a staged set and sweeps it. A set in any other state is left alone: if the answer to the commit was lost, it
 * may have been published all the same.
 */
export async function discardSet(database: Database, id: number, kind: SetKind): Promise<void> {
  const dropped = await database.run(({ write }) =>
    write('coverage_sets').where({ id, state: 'staged' }).update({ state: 'dropped', touched: Date.now() }),
  );
  if (dropped > 0) await sweepSet(database, id, kind);
}

/** Abandons staged sets without a recent heartbeat, and sweeps those dropped before; returns how many sets. */
export async function sweep(database: Database, idleSince: Date): Promise<number> {
  const before = idleSince.getTime();
  await database.run(({ write }) =>
    write('coverage_sets').where({ state: 'staged' }).andWhere('touched', '<', before).update({ state: 'dropped' }),
  );
  const dropped = await database.query<{ id: number; kind: SetKind }>(
    "select id, kind from coverage_sets where state = 'dropped' and touched < ? order by id",
    [before],
  );
  for (const { id, kind } of dropped) await sweepSet(database, id, kind);
  return dropped.length;
}
