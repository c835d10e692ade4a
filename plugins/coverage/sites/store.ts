/**
 * coverage-sites@1 above tables: what the binding for SQL is compared with, and what adapters without one use. A load gathers its
 * sites in memory, and then puts them in the place of the others in one transaction, so that nothing is left to sweep.
 */
import {
  defineStore,
  defineTable,
  integer,
  json,
  optional,
  type RowOf,
  small,
  type Tables,
  text,
  time,
} from '../../../core/storage.js';
import { type Build, chromosomes } from '../intervals/interval.js';
import {
  bySet,
  bySite,
  coverageSites,
  longestSite,
  refuseOddSites,
  type Site,
  type SiteRepository,
  type SiteSet,
  type SiteSetRecord,
  type SitesWanted,
} from './contract.js';

/** A caller that replaces a set holds its row, which has no record until then. */
const sets = defineTable({
  name: 'coverage_sites_sets',
  columns: { build: text(), name: text(), loaded: optional(time()), record: optional(json<StoredSiteSet>()) },
  key: ['build', 'name'],
});

interface StoredSiteSet extends SiteSetRecord {
  sites: number;
}

/** `place` is that in the order of loading, `chromosome` that in the list of chromosomes. */
const sites = defineTable({
  name: 'coverage_sites_sites',
  columns: { build: text(), name: text(), place: small(), chromosome: small(), start: integer(), site: json<Site>() },
  key: ['build', 'name', 'place'],
  indexes: [['build', 'chromosome', 'start']],
});

const genes = defineTable({
  name: 'coverage_sites_genes',
  columns: { build: text(), name: text(), gene: text(), place: small() },
  key: ['build', 'name', 'gene', 'place'],
});

function setsOf(rows: readonly RowOf<typeof sets.columns>[]): SiteSet[] {
  const found = rows.flatMap(({ name, build, loaded, record }) => {
    return record && loaded ? [{ ...record, name, build: build as Build, loaded }] : [];
  });
  return found.sort(bySet);
}

async function removeSites(inside: Tables, where: { build: string; name: string }): Promise<void> {
  await inside.table(sites).remove(where);
  await inside.table(genes).remove(where);
}

/** For each chromosome, where sites can begin that share a base with one of its places. */
function spansOf(places: SitesWanted['places']) {
  return chromosomes.flatMap((name, chromosome) => {
    const own = places.filter((place) => place.chromosome === name);
    if (own.length === 0) return [];
    const first = own.reduce((least, { start }) => Math.min(least, start), Infinity);
    const last = own.reduce((most, { end }) => Math.max(most, end), -Infinity);
    return [{ chromosome, start: { above: first - longestSite, below: last } }];
  });
}

export const store = defineStore<SiteRepository>({
  contract: coverageSites,
  tables: [sets, sites, genes],
  steps: { '001-sites': { tables: [sets, sites, genes] } },
  repository: (tables) => ({
    async load({ name, build, sites: batches, accept, signal }, now) {
      const all: Site[] = [];
      signal?.throwIfAborted();
      for await (const batch of batches) {
        refuseOddSites(batch);
        for (const site of batch) all.push(site);
        signal?.throwIfAborted();
      }
      return tables.transaction(async (inside) => {
        const of = { build, name };
        const [replaces] = setsOf([await inside.table(sets).put(of, [])]);
        const record = { ...accept(all.length, replaces), sites: all.length };
        signal?.throwIfAborted();
        await removeSites(inside, of);
        const rows = all.map((site, place) => {
          return { ...of, place, chromosome: chromosomes.indexOf(site.chromosome), start: site.start, site };
        });
        await inside.table(sites).append(rows);
        const named = all.flatMap((site, place) => [...new Set(site.genes)].map((gene) => ({ ...of, gene, place })));
        await inside.table(genes).append(named);
        return setsOf([await inside.table(sets).put({ ...of, loaded: now, record })])[0] as SiteSet;
      });
    },

    sets: async ({ signal } = {}) => setsOf(await tables.table(sets).find({ signal })),

    find: (build, wanted, { signal } = {}) =>
      tables.snapshot(
        async (moment) => {
          const own = setsOf(await moment.table(sets).find({ where: { build } }));
          const names = new Set(wanted.genes);
          const ofGenes = own.map(({ name }) => ({ build, name, gene: { among: [...names] } }));
          const named = await moment.table(genes).find({ where: ofGenes });
          const where = [
            ...spansOf(wanted.places).map((span) => ({ build, ...span })),
            ...own.map(({ name }) => {
              return {
                build,
                name,
                place: { among: named.filter((each) => each.name === name).map(({ place }) => place) },
              };
            }),
          ];
          const candidates = await moment.table(sites).find({ where });
          const found = candidates.filter(({ site }) => {
            const isWithin = ({ chromosome, start, end }: SitesWanted['places'][number]) =>
              chromosome === site.chromosome && start < site.end && end > site.start;
            return site.genes.some((gene) => names.has(gene)) || wanted.places.some(isWithin);
          });
          return { sets: own, sites: found.map(({ name, site }) => ({ ...site, set: name })).sort(bySite) };
        },
        { signal },
      ),

    remove: (name, build) =>
      tables.transaction(async (inside) => {
        const [known] = setsOf(await inside.table(sets).lock({ build, name }));
        await inside.table(sets).remove({ build, name });
        await removeSites(inside, { build, name });
        return known;
      }),

    sweep: async () => 0,
  }),
});
