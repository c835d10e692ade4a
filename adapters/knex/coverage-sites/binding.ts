/**
 * coverage-sites@1 on SQL: sets of sites are staged, then published in one short transaction; their sites are found by place
 * and by gene.
 */
import { step } from '../../../core/storage.js';
import {
  type Build,
  bySet,
  bySite,
  chromosomes,
  coverageSites,
  type FoundSite,
  longestSite,
  refuseOddSites,
  type Site,
  type SiteLoad,
  type SiteRepository,
  type SiteSet,
  type SitesFound,
  type SitesWanted,
} from '../../../plugins/coverage/contract.js';
import { type Database, defineBinding, type Scalar } from '../binding.js';
import { readRows } from '../rows.js';
import { deleteRows, StagedSets } from '../staged-sets.js';
import {
  geneColumns,
  genes,
  genes as geneTable,
  migrations,
  type SiteLists,
  type StoredSiteSet,
  setRows,
  sets,
  siteColumns,
  sites,
  sitesOfLists,
  sites as siteTable,
  siteValues,
} from './rows.js';

const siteSets: StagedSets<{ number: number }> = new StagedSets({
  ...{ table: sets, number: 'number', sign: 'touched' },
  async free(database, { number }) {
    await deleteRows(database, sites, 'place', 'set_id = ?', [number]);
    await database.run(({ write }) => write(genes).where({ set_id: number }).delete());
    await database.run(({ write }) => write(sets).where({ number, state: 'dropped' }).delete());
    return true;
  },
});

const selectSets = `select ${setRows.columns.join(', ')} from ${sets} where state = 'published'`;

async function publishedSets(database: Database): Promise<StoredSiteSet[]> {
  const rows = await database.query<Parameters<typeof setRows.read>[1]>(selectSets, []);
  return readRows(database, setRows, rows).sort((one, other) => bySet(one.set, other.set));
}

/** Returns the set if there was one. */
function removeSites(database: Database, name: string, build: Build): Promise<SiteSet | undefined> {
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

async function loadSites(database: Database, request: SiteLoad, now: Date): Promise<SiteSet> {
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

// coverage-sites@1 on SQL, and how sites are found by place and by gene.

// Finds sites by place and by gene.

function findSites(database: Database, build: Build, { places, genes }: SitesWanted): Promise<SitesFound> {
  return database.snapshot(async (snapshot) => {
    const own = (await publishedSets(snapshot)).filter(({ set }) => set.build === build);
    const wanted = joined(places);
    const found: FoundSite[] = [];
    for (const { number, set } of own) {
      const within = await atPlaces(snapshot, number, wanted);
      const known = new Set(within[0]);
      const named = (await ofGenes(snapshot, number, genes)).filter((place) => !known.has(place));
      for (const lists of [within, ...(named.length === 0 ? [] : [await byNumber(snapshot, number, named)])]) {
        for (const site of sitesOfLists(set.name, lists)) found.push(site);
      }
    }
    return { sets: own.map(({ set }) => set), sites: found.sort(bySite) };
  });
}

type SiteSpan = [chromosome: number, start: number, end: number];

/** Places that do not overlap, so that few sites are found twice. */
function joined(places: SitesWanted['places']): SiteSpan[] {
  const sorted = places
    .map(({ chromosome, start, end }): SiteSpan => [chromosomes.indexOf(chromosome), start, end])
    .sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  const all: SiteSpan[] = [];
  for (const place of sorted) {
    const last = all.at(-1);
    if (last !== undefined && last[0] === place[0] && place[1] <= last[2]) last[2] = Math.max(last[2], place[2]);
    else all.push(place);
  }
  return all;
}

const columns = ['place', 'chromosome', 'start', 'stop', 'record'] as const;
const selection = columns.map((column) => `a.${column}`).join(', ');
const overlapping =
  'a.set_id = ? and a.chromosome = q.chromosome and a.start < q.stop ' +
  `and a.start > q.start - ${longestSite} and a.stop > q.start`;

/** A site that reaches from one place to the next is found at both. */
async function atPlaces(database: Database, set: number, places: readonly SiteSpan[]): Promise<SiteLists> {
  const { engine } = database;
  const asked = engine.bound({ chromosome: 'integer', start: 'integer', stop: 'integer' });
  const text = `select ${selection} ${engine.lookUp(asked, siteTable, overlapping)}`;
  return listsOf(database, text, [engine.values.json(places) as string, set]);
}

/** The numbers of sites that name one of the genes, each once. */
async function ofGenes(database: Database, set: number, genes: readonly string[]): Promise<number[]> {
  if (genes.length === 0) return [];
  const { engine } = database;
  const where = engine.lookUp(engine.bound({ gene: 'text' }), geneTable, 'a.set_id = ? and a.gene = q.gene');
  const asked = [...new Set(genes)].map((gene) => [gene]);
  const [row] = await database.query<{ lists: unknown }>(engine.lists(`select distinct a.place ${where}`, ['place']), [
    engine.values.json(asked) as string,
    set,
  ]);
  return (engine.values.parseJson(row?.lists) as [number[]])[0];
}

function byNumber(database: Database, set: number, places: readonly number[]): Promise<SiteLists> {
  const { engine } = database;
  const asked = engine.bound({ place: 'integer' });
  const text = `select ${selection} ${engine.lookUp(asked, siteTable, 'a.set_id = ? and a.place = q.place')}`;
  return listsOf(database, text, [engine.values.json(places.map((place) => [place])) as string, set]);
}

async function listsOf(database: Database, text: string, bindings: readonly Scalar[]): Promise<SiteLists> {
  const [row] = await database.query<{ lists: unknown }>(database.engine.lists(text, columns), bindings);
  return database.engine.values.parseJson(row?.lists) as SiteLists;
}

function repository(database: Database): SiteRepository {
  return {
    load: (request, now) => loadSites(database, request, now),
    sets: async (options) => (await publishedSets(database.until(options?.signal))).map(({ set }) => set),
    find: (build, wanted, options) => findSites(database.until(options?.signal), build, wanted),
    remove: (name, build) => removeSites(database, name, build),
    sweep: (idleSince) => siteSets.sweep(database, idleSince),
  };
}

export default defineBinding<SiteRepository>({ contract: coverageSites, migrations, rows: [setRows], repository });
