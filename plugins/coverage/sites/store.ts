/**
 * coverage-sites@1 above tables: sites are staged under the number of a new set, which is then published in one short transaction.
 * Replaced and removed sets stay until they are swept.
 */
import {
  defineStore,
  defineTable,
  json,
  optional,
  type RowOf,
  short,
  small,
  step,
  type Tables,
  text,
} from '../../../core/storage.js';
import { chromosomes } from '../intervals/interval.js';
import {
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
  type SitesFound,
  type SitesWanted,
} from './contract.js';
import { isSoundSet, type PublishedSet, StagedSets, setColumns, snapshotOf } from './staged-sets.js';

const sets = defineTable({
  name: 'coverage_sites_sets',
  columns: { ...setColumns, sites: optional(small()), record: optional(json<SiteSetRecord>()) },
  key: ['number'],
  sound: (row) =>
    isSoundSet(row) &&
    (row.state !== 'published' || (row.sites !== undefined && typeof row.record?.release === 'string')),
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
  while (rest.at(-1) === null) rest.pop();
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

export const siteSets = new StagedSets<SiteSet, RowOf<typeof sets.columns>>({
  table: sets,
  setOf: ({ name, build, loaded, sites, record }) => {
    return { ...record, name, build, loaded, sites } as SiteSet;
  },
  free,
  dropped: () => step('coverage.sites.dropped'),
});

export type PublishedSites = PublishedSet<SiteSet, RowOf<typeof sets.columns>>;

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
      await siteSets.changeStaged(inside, setId, {});
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

async function free(tables: Tables, number: number): Promise<void> {
  const first = { order: ['setId', 'place'], limit: 1, without: ['record'], latest: true } as const;
  for (;;) {
    const [next] = await tables.table(places).find({ where: { setId: number }, ...first });
    if (next === undefined) break;
    await tables.table(places).remove({ setId: number, place: { below: next.place + sweptAtOnce } });
  }
  await tables.table(genes).remove({ setId: number });
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

export const noSites: SitesFound = { sets: [], sites: [] };

async function sitesIn(moment: Tables, published: PublishedSites[], wanted: SitesWanted): Promise<SitesFound> {
  const names = new Set(wanted.genes);
  const found: FoundSite[] = [];
  for (const { number: setId, set } of published) {
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
  return { sets: published.map(({ set }) => set), sites: found.filter(isWanted).sort(bySite) };
}

export const store = defineStore<SiteRepository>({
  contract: coverageSites,
  tables: [sets, places, genes],
  steps: { '001-sets-and-places': { tables: [sets, places, genes] } },
  repository: (tables) => ({
    ...siteSets.verbs(tables),

    load: (request, now) =>
      siteSets.replace(
        tables,
        {
          ...request,
          stage: (number) => stage(tables, number, request),
          accept(sites, replaces) {
            const { release, source, checksum, skipped } = request.accept(sites, replaces);
            return { sites, record: { release, source, checksum, skipped: { ...skipped } } };
          },
        },
        now,
      ),

    find: siteSets.finder({ snapshot: snapshotOf(tables), none: noSites, read: sitesIn }),
  }),
});
