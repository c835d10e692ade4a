/** coverage-sites@1 in memory. */
import {
  bySet,
  bySite,
  coverageSites,
  type FoundSite,
  refuseOddSites,
  type Site,
  type SiteRepository,
  type SiteSet,
  type SitesWanted,
} from '../../plugins/coverage/contract.js';
import { defineBinding } from './binding.js';

interface Entry {
  set: SiteSet;
  sites: readonly Site[];
}

type Sets = Map<string, Entry>;

const keyOf = (name: string, build: string) => `${build} ${name}`;

function isWanted({ places, genes }: SitesWanted): (site: Site) => boolean {
  const names = new Set(genes);
  return (site) =>
    site.genes.some((gene) => names.has(gene)) ||
    places.some(({ chromosome, start, end }) => chromosome === site.chromosome && start < site.end && end > site.start);
}

export default defineBinding<SiteRepository, Sets>({
  contract: coverageSites,
  empty: () => new Map(),
  copy: (state) => new Map(state),
  repository: ({ read, write }) => ({
    async load({ name, build, sites: batches, accept, signal }, now) {
      const sites: Site[] = [];
      signal?.throwIfAborted();
      for await (const batch of batches) {
        refuseOddSites(batch);
        for (const site of batch) sites.push(structuredClone(site));
        signal?.throwIfAborted();
      }
      return write((draft) => {
        const replaces = structuredClone(draft.get(keyOf(name, build))?.set);
        const record = structuredClone(accept(sites.length, replaces));
        const set = { ...record, name, build, loaded: new Date(now), sites: sites.length };
        draft.set(keyOf(name, build), { set, sites });
        return structuredClone(set);
      });
    },

    sets: async (options) => {
      options?.signal?.throwIfAborted();
      return structuredClone([...(await read()).values()].map(({ set }) => set).sort(bySet));
    },

    async find(build, wanted, options) {
      options?.signal?.throwIfAborted();
      const own = [...(await read()).values()].filter(({ set }) => set.build === build);
      const found = own.flatMap(({ set, sites }) =>
        sites.filter(isWanted(wanted)).map((site): FoundSite => ({ ...site, set: set.name })),
      );
      return structuredClone({ sets: own.map(({ set }) => set).sort(bySet), sites: found.sort(bySite) });
    },

    remove: (name, build) =>
      write((draft) => {
        const known = draft.get(keyOf(name, build));
        draft.delete(keyOf(name, build));
        return structuredClone(known?.set);
      }),

    sweep: async () => 0,
  }),
});
