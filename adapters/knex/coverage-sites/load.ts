/** Loading: sites are staged in a new set, which is then published in one short transaction. */
import { step } from '../../../core/storage.js';
import { refuseOddSites, type Site, type SiteLoad, type SiteSet } from '../../../plugins/coverage/contract.js';
import type { Database, Scalar } from '../binding.js';
import { genes as geneTable, sites as siteTable } from './migrations.js';
import { geneColumns, siteColumns, siteValues } from './rows.js';
import { lockPublished, siteSets } from './sets.js';

/** Sites in one transaction: other writers can write in between. */
const atOnce = 10_000;

export async function load(database: Database, request: SiteLoad, now: Date): Promise<SiteSet> {
  const { name, build, signal } = request;
  signal?.throwIfAborted();
  const number = await siteSets.open(database, { name, build });
  let isPublished = false;
  try {
    const count = await stage(database, number, request);
    const published = await publish(database, number, count, request, now);
    isPublished = true;
    return published;
  } finally {
    if (!isPublished) await siteSets.discard(database, number);
  }
}

/** Returns the number of sites. */
async function stage(database: Database, number: number, { sites, signal }: SiteLoad): Promise<number> {
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

function publish(
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
