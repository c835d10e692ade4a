/** Sets of sites: those that are published, and the freeing of others. */
import { type Build, bySet, type SiteSet } from '../../../plugins/coverage/contract.js';
import type { Database } from '../binding.js';
import { readRows } from '../rows.js';
import { genes, sets, sites } from './migrations.js';
import { type StoredSet, setRows } from './rows.js';

const selectSets = `select ${setRows.columns.join(', ')} from ${sets} where state = 'published'`;

export async function publishedSets(database: Database): Promise<StoredSet[]> {
  const rows = await database.query<Parameters<typeof setRows.read>[1]>(selectSets, []);
  return readRows(database, setRows, rows).sort((one, other) => bySet(one.set, other.set));
}

/** No query sees the set any more; its rows go when it is swept. Returns it if there was one. */
export function remove(database: Database, name: string, build: Build): Promise<SiteSet | undefined> {
  return database.transaction(async (scope) => {
    const found = await lockPublished(scope, name, build);
    await drop(scope, name, build);
    return found?.set;
  });
}

/** Of two changes of one set, the other waits until this transaction ends. */
export async function lockPublished(database: Database, name: string, build: Build): Promise<StoredSet | undefined> {
  const { write, engine } = database;
  await engine.forUpdate(write(sets).select('number').whereIn('state', ['staged', 'published']).orderBy('number'));
  return (await publishedSets(database)).find(({ set }) => set.name === name && set.build === build);
}

export async function drop({ write }: Database, name: string, build: Build): Promise<void> {
  await write(sets).where({ name, build, state: 'published' }).update({ state: 'dropped', touched: Date.now() });
}

/** Sites whose rows are deleted in one transaction: other writers can write in between. */
const sweptAtOnce = 20_000;

export async function sweep(database: Database, idleSince: Date): Promise<number> {
  const before = idleSince.getTime();
  await database.run(({ write }) =>
    write(sets).where({ state: 'staged' }).andWhere('touched', '<', before).update({ state: 'dropped' }),
  );
  const dropped = await database.query<{ number: number }>(
    `select number from ${sets} where state = 'dropped' and touched < ? order by number`,
    [before],
  );
  for (const { number } of dropped) await free(database, number);
  return dropped.length;
}

/** Abandons a staged set at once. One in any other state stays: if the answer to a commit was lost, it may be published. */
export async function discard(database: Database, number: number): Promise<void> {
  const dropped = await database.run(({ write }) =>
    write(sets).where({ number, state: 'staged' }).update({ state: 'dropped', touched: Date.now() }),
  );
  if (dropped > 0) await free(database, number);
}

/** May be interrupted, and may run several times concurrently. */
async function free(database: Database, number: number): Promise<void> {
  for (;;) {
    const [last] = await database.query<{ place: number | null }>(
      `select max(place) as place from ${sites} where set_id = ?`,
      [number],
    );
    if (last?.place == null) break;
    const from = last.place - sweptAtOnce;
    await database.transaction(async ({ write }) => {
      await write(sites).where({ set_id: number }).andWhere('place', '>', from).delete();
    });
  }
  await database.run(({ write }) => write(genes).where({ set_id: number }).delete());
  await database.run(({ write }) => write(sets).where({ number, state: 'dropped' }).delete());
}
