/**
 * coverage-sites@1 above tables: sites are staged under the number of a new set, which is then published in one short transaction.
 * Replaced and removed sets stay until they are swept.
 */
import {
  defineStore,
  defineTable,
  Fault,
  generated,
  integer,
  json,
  optional,
  type RowOf,
  short,
  small,
  step,
  type Tables,
  text,
  time,
} from '../../../core/storage.js';
import { type Build, builds, chromosomes } from '../intervals/interval.js';
import {
  bySet,
  bySite,
  coverageSites,
  type FoundSite,
  longestSite,
  refuseOddSites,
  type Site,
  type SiteLoad,
  type SiteRepository,
  type SiteSet,
  type SiteSetRecord,
  type SitesWanted,
} from './contract.js';

const sets = defineTable({
  name: 'coverage_sites_sets',
  columns: {
    number: generated(),
    name: text(),
    build: text(),
    // staged → published → dropped; or staged → dropped.
    state: text(),
    // Milliseconds since 1970: the last sign of life of the load; for a dropped set, when it was dropped.
    touched: integer(),
    loaded: optional(time()),
    sites: optional(small()),
    record: optional(json<SiteSetRecord>()),
  },
  key: ['number'],
  sound: ({ build, state, sites, record }) =>
    (builds as readonly string[]).includes(build) &&
    (state !== 'published' || (sites !== undefined && typeof record?.release === 'string')),
});

/** A list is shorter than an object, and values that are missing at its end take no space. */
export type PackedSite = [
  reference: string,
  alternate: string,
  genes: readonly string[],
  ...rest: (string | number | null)[],
];

/** `place` counts from 0 in the order of loading; `chromosome` is a place in the list of chromosomes. */
const places = defineTable({
  name: 'coverage_sites_places',
  columns: {
    setId: small(),
    place: small(),
    chromosome: short(),
    start: small(),
    stop: small(),
    // JSON, as text, so that many are read together.
    record: text(),
  },
  key: ['setId', 'place'],
  indexes: [['setId', 'chromosome', 'start']],
});

const genes = defineTable({
  name: 'coverage_sites_genes',
  columns: { setId: small(), gene: text(), place: small() },
  key: ['setId', 'gene', 'place'],
});

/** Sites in one transaction: other writers can write in between. */
const atOnce = 10_000;
/** Sites that are freed by one statement. */
const sweptAtOnce = 20_000;

function packed({ reference, alternate, genes, id, significance, stars, hgvs }: Site): PackedSite {
  const rest = [id ?? null, significance ?? null, stars ?? null, hgvs ?? null];
  while (rest.length > 0 && rest.at(-1) === null) rest.pop();
  return [reference, alternate, genes, ...rest];
}

/** Throws if the row is damaged. */
export function siteOf(
  set: string,
  { chromosome: code, start, stop }: Pick<RowOf<typeof places.columns>, 'chromosome' | 'start' | 'stop'>,
  record: PackedSite,
): FoundSite {
  const chromosome = chromosomes[code];
  if (chromosome === undefined) throw new Error('a stored row is damaged');
  const [reference, alternate, genes, id, significance, stars, hgvs] = record;
  const found: FoundSite = { set, chromosome, start, end: stop, reference, alternate, genes };
  if (id != null) found.id = id as string;
  if (significance != null) found.significance = significance as string;
  if (stars != null) found.stars = stars as number;
  if (hgvs != null) found.hgvs = hgvs as string;
  return found;
}

interface StoredSiteSet {
  number: number;
  set: SiteSet;
}

/** By name and build. */
export async function publishedSites(from: Tables, signal?: AbortSignal): Promise<StoredSiteSet[]> {
  const found = await from.table(sets).find({ where: { state: 'published' }, signal });
  return found
    .map(({ number, name, build, loaded = new Date(0), sites, record }) => {
      return { number, set: { ...record, name, build, loaded, sites } as SiteSet };
    })
    .sort((one, other) => bySet(one.set, other.set));
}

/** Of two changes of published sets, the other waits until this transaction ends. */
async function lockPublished(inside: Tables, name: string, build: Build): Promise<SiteSet | undefined> {
  await inside.table(sets).lock({ state: { among: ['staged', 'published'] } });
  return (await publishedSites(inside)).find(({ set }) => set.name === name && set.build === build)?.set;
}

/** No query sees the set any more; its rows go when it is swept. */
async function drop(inside: Tables, name: string, build: Build): Promise<void> {
  await inside.table(sets).change({ name, build, state: 'published' }, { state: 'dropped', touched: Date.now() });
}

/** Changes a staged set. Throws a `conflict` fault if it was given up. */
async function changeStaged(inside: Tables, number: number, changes: object): Promise<void> {
  const changed = await inside.table(sets).change({ number, state: 'staged' }, { touched: Date.now(), ...changes });
  if (changed === 0) throw new Fault('conflict', 'The load was given up meanwhile: it was idle for too long');
}

/** Returns the number of sites. */
async function stage(tables: Tables, setId: number, { sites, signal }: SiteLoad): Promise<number> {
  let count = 0;
  let waiting: Site[] = [];
  const flush = async () => {
    const rows = waiting.map((site, i) => {
      const { start, end: stop } = site;
      const chromosome = chromosomes.indexOf(site.chromosome);
      return { setId, place: count + i, chromosome, start, stop, record: JSON.stringify(packed(site)) };
    });
    const named = waiting.flatMap((site, i) =>
      [...new Set(site.genes)].map((gene) => ({ setId, gene, place: count + i })),
    );
    await tables.transaction(async (inside) => {
      await changeStaged(inside, setId, {});
      await inside.table(places).append(rows);
      await inside.table(genes).append(named);
    });
    step('coverage.sites.staged');
    count += rows.length;
    waiting = [];
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

/** Frees a dropped set. May be interrupted, or run twice at once. */
async function free(tables: Tables, number: number): Promise<void> {
  const first = { order: ['setId', 'place'], limit: 1, without: ['record'], latest: true } as const;
  for (;;) {
    const [next] = await tables.table(places).find({ where: { setId: number }, ...first });
    if (next === undefined) break;
    await tables.table(places).remove({ setId: number, place: { below: next.place + sweptAtOnce } });
  }
  await tables.table(genes).remove({ setId: number });
  await tables.table(sets).remove({ number, state: 'dropped' });
}

/** For each chromosome, where sites can begin that share a base with one of its places. */
function spansOf(wanted: SitesWanted['places']) {
  return chromosomes.flatMap((name, chromosome) => {
    const own = wanted.filter((place) => place.chromosome === name);
    if (own.length === 0) return [];
    const first = own.reduce((least, { start }) => Math.min(least, start), Infinity);
    const last = own.reduce((most, { end }) => Math.max(most, end), -Infinity);
    return [{ chromosome, start: { above: first - longestSite, below: last } }];
  });
}

export const store = defineStore<SiteRepository>({
  contract: coverageSites,
  tables: [sets, places, genes],
  steps: { '001-sets-and-places': { tables: [sets, places, genes] } },
  repository: (tables) => ({
    async load(request, now) {
      const { name, build, accept, signal } = request;
      signal?.throwIfAborted();
      const added = await tables.table(sets).add({ name, build, state: 'staged', touched: Date.now() });
      const number = added?.number as number;
      try {
        const count = await stage(tables, number, request);
        return await tables.transaction(async (inside) => {
          const record = accept(count, await lockPublished(inside, name, build));
          signal?.throwIfAborted();
          await drop(inside, name, build);
          step('coverage.sites.dropped');
          const { release, source, checksum, skipped } = record;
          const kept = { release, source, checksum, skipped: { ...skipped } };
          await changeStaged(inside, number, { state: 'published', loaded: now, sites: count, record: kept });
          return { name, build, ...kept, loaded: new Date(now), sites: count };
        });
      } catch (error) {
        // One in any other state stays: if the answer to a commit was lost, it may be published.
        const dropped = { state: 'dropped', touched: Date.now() };
        if ((await tables.table(sets).change({ number, state: 'staged' }, dropped)) > 0) await free(tables, number);
        throw error;
      }
    },

    sets: async ({ signal } = {}) => (await publishedSites(tables, signal)).map(({ set }) => set),

    find: (build, wanted, { signal } = {}) =>
      tables.snapshot(
        async (moment) => {
          const own = (await publishedSites(moment)).filter(({ set }) => set.build === build);
          const names = new Set(wanted.genes);
          const found: FoundSite[] = [];
          for (const { number: setId, set } of own) {
            const named = await moment.table(genes).find({ where: { setId, gene: { among: [...names] } } });
            const where = spansOf(wanted.places).map((span) => ({ setId, ...span }));
            const ofGenes = { setId, place: { among: named.map(({ place }) => place) } };
            const candidates = await moment.table(places).find({ where: [...where, ofGenes] });
            for (const row of candidates) found.push(siteOf(set.name, row, JSON.parse(row.record) as PackedSite));
          }
          const isWanted = (site: FoundSite) =>
            site.genes.some((gene) => names.has(gene)) ||
            wanted.places.some(({ chromosome, start, end }) => {
              return chromosome === site.chromosome && start < site.end && end > site.start;
            });
          return { sets: own.map(({ set }) => set), sites: found.filter(isWanted).sort(bySite) };
        },
        { signal },
      ),

    remove: (name, build) =>
      tables.transaction(async (inside) => {
        const found = await lockPublished(inside, name, build);
        await drop(inside, name, build);
        return found;
      }),

    async sweep(idleSince) {
      const before = { touched: { below: idleSince.getTime() } };
      await tables.table(sets).change({ state: 'staged', ...before }, { state: 'dropped' });
      const dropped = await tables.table(sets).find({ where: { state: 'dropped', ...before }, latest: true });
      for (const { number } of dropped) await free(tables, number);
      return dropped.length;
    },
  }),
});
