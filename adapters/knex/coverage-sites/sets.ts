/** Sets of sites: staged, then published in one short transaction; those that are published, and the freeing of others. */
import { step } from '../../../core/storage.js';
import {
  type Build,
  bySet,
  refuseOddSites,
  type Site,
  type SiteLoad,
  type SiteSet,
} from '../../../plugins/coverage/contract.js';
import type { Database, Scalar } from '../binding.js';
import { readRows } from '../rows.js';
import { deleteRows, StagedSets } from '../staged-sets.js';
import {
  geneColumns,
  genes,
  genes as geneTable,
  type StoredSiteSet,
  setRows,
  sets,
  siteColumns,
  sites,
  sites as siteTable,
  siteValues,
} from './rows.js';

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

export async function publishedSets(database: Database): Promise<StoredSiteSet[]> {
  const rows = await database.query<Parameters<typeof setRows.read>[1]>(selectSets, []);
  return readRows(database, setRows, rows).sort((one, other) => bySet(one.set, other.set));
}

/** Returns the set if there was one. */
export function removeSites(database: Database, name: string, build: Build): Promise<SiteSet | undefined> {
  return database.transaction(async (scope) => {
    const found = await lockPublished(scope, name, build);
    await siteSets.drop(scope, { name, build });
    return found?.set;
  });
}

/** Of two changes of one set, the other waits until this transaction ends. */
async function lockPublished(database: Database, name: string, build: Build): Promise<StoredSiteSet | undefined> {
  await siteSets.lock(database);
  return (await publishedSets(database)).find(({ set }) => set.name === name && set.build === build);
}

// Loading: sites are staged in a new set, which is then published in one short transaction.

/** Sites in one transaction: other writers can write in between. */
const atOnce = 10_000;

export async function loadSites(database: Database, request: SiteLoad, now: Date): Promise<SiteSet> {
  const { name, build, signal } = request;
  signal?.throwIfAborted();
  const number = await siteSets.open(database, { name, build });
  let isPublished = false;
  try {
    const count = await stageSites(database, number, request);
    const published = await publishSites(database, number, count, request, now);
    isPublished = true;
    return published;
  } finally {
    if (!isPublished) await siteSets.discard(database, number);
  }
}

/** Returns the number of sites. */
async function stageSites(database: Database, number: number, { sites, signal }: SiteLoad): Promise<number> {
  let count = 0;
  let waiting: Site[] = [];
  const flush = async () => {
    const portion = waiting;
    waiting = [];
    await append(database, number, count, portion);
    count += portion.length;
  };
  for await (const batch of sites) {
    refuseOddSites(batch);
    for (const site of batch) waiting.push(site);
    if (waiting.length >= atOnce) await flush();
    signal?.throwIfAborted();
  }
  await flush();
  signal?.throwIfAborted();
  return count;
}

async function append(database: Database, number: number, first: number, sites: readonly Site[]): Promise<void> {
  const places: Scalar[][] = [];
  const named: Scalar[][] = [];
  for (const [i, site] of sites.entries()) {
    places.push(siteValues(number, first + i, site));
    for (const gene of new Set(site.genes)) named.push([number, gene, first + i]);
  }
  await database.transaction(async (scope) => {
    const { write, engine } = scope;
    await siteSets.touch(scope, number);
    await engine.append(write, siteTable, siteColumns, places);
    await engine.append(write, geneTable, geneColumns, named);
  });
  step('coverage.sites.staged');
}

function publishSites(
  database: Database,
  number: number,
  count: number,
  { name, build, accept, signal }: SiteLoad,
  now: Date,
): Promise<SiteSet> {
  return database.transaction(async (scope) => {
    const { values } = scope.engine;
    const replaced = await lockPublished(scope, name, build);
    const record = accept(count, replaced?.set);
    signal?.throwIfAborted();
    await siteSets.drop(scope, { name, build });
    step('coverage.sites.dropped');
    await siteSets.publish(scope, number, {
      loaded: values.time(now),
      sites: count,
      record: values.json(record),
    });
    const { release, source, checksum, skipped } = record;
    return { name, build, release, source, checksum, skipped: { ...skipped }, loaded: new Date(now), sites: count };
  });
}
