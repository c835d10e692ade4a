/** Sets of sites: those that are published, and the freeing of others. */
import { type Build, bySet, type SiteSet } from '../../../plugins/coverage/contract.js';
import type { Database } from '../binding.js';
import { readRows } from '../rows.js';
import { deleteRows, StagedSets } from '../staged-sets.js';
import { genes, sets, sites } from './migrations.js';
import { type StoredSet, setRows } from './rows.js';

export const siteSets: StagedSets<{ number: number }> = new StagedSets({
  ...{ table: sets, number: 'number', sign: 'touched' },
  async free(database, { number }) {
    await deleteRows(database, sites, 'place', 'set_id = ?', [number]);
    await database.run(({ write }) => write(genes).where({ set_id: number }).delete());
    await database.run(({ write }) => write(sets).where({ number, state: 'dropped' }).delete());
    return true;
  },
});

const selectSets = `select ${setRows.columns.join(', ')} from ${sets} where state = 'published'`;

export async function publishedSets(database: Database): Promise<StoredSet[]> {
  const rows = await database.query<Parameters<typeof setRows.read>[1]>(selectSets, []);
  return readRows(database, setRows, rows).sort((one, other) => bySet(one.set, other.set));
}

/** Returns the set if there was one. */
export function remove(database: Database, name: string, build: Build): Promise<SiteSet | undefined> {
  return database.transaction(async (scope) => {
    const found = await lockPublished(scope, name, build);
    await siteSets.drop(scope, { name, build });
    return found?.set;
  });
}

/** Of two changes of one set, the other waits until this transaction ends. */
export async function lockPublished(database: Database, name: string, build: Build): Promise<StoredSet | undefined> {
  await siteSets.lock(database);
  return (await publishedSets(database)).find(({ set }) => set.name === name && set.build === build);
}
