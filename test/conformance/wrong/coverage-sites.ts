/** Adapters that break one promise of coverage-sites@1 each. */
import type { FoundSite, Site, SiteRepository, SitesWanted } from '../../../plugins/coverage/contract.js';
import { coverageSites } from '../coverage.js';
import { type Damage, toSeconds, type Wrong, wrongRepository } from './wrap.js';

const wrong = (does: string, fails: string, damage: Damage<SiteRepository>): Wrong =>
  wrongRepository(coverageSites, does, fails, damage);

/** An adapter that finds something else than it should. */
const finding = (
  does: string,
  fails: string,
  change: (sites: FoundSite[], wanted: SitesWanted) => FoundSite[],
  asked: (wanted: SitesWanted) => SitesWanted = (wanted) => wanted,
): Wrong =>
  wrong(does, fails, () => (right) => ({
    find: async (build, wanted, options) => {
      const { sets, sites } = await right.find(build, asked(wanted), options);
      return { sets, sites: change(sites, wanted) };
    },
  }));

const unchanged = 'a set and its sites are returned unchanged';
const atPlaces = 'sites are found at places, by shared bases';
const byGenes = 'sites are found by the genes that they name, exactly';
const replaced = 'a load replaces the set of its name and build, and no other';
const failed = 'a load that fails leaves the old set';

export const wrongSites: readonly Wrong[] = [
  finding('returns null for missing fields of a site', unchanged, (sites) =>
    sites.map((site) => ({ id: null, hgvs: null, ...site }) as unknown as FoundSite),
  ),
  finding('forgets a star count of 0', unchanged, (sites) =>
    sites.map(({ stars, ...site }) => ({ ...site, ...(stars ? { stars } : {}) })),
  ),
  wrong('keeps times to the second', unchanged, () => (right) => ({
    sets: async (options) => toSeconds(await right.sets(options)),
  })),
  wrong('leaves out sets without a wanted site', unchanged, () => (right) => ({
    find: async (build, wanted) => {
      const { sites } = await right.find(build, wanted);
      return { sets: [], sites };
    },
  })),
  finding('searches by the first base of a site alone', atPlaces, (sites, { places }) =>
    sites.filter((site) => places.some(({ start, end }) => site.start >= start && site.start < end)),
  ),
  finding(
    'counts a base beside a place as shared',
    atPlaces,
    (sites) => sites,
    ({ places, genes }) => ({ places: places.map((place) => ({ ...place, end: place.end + 1 })), genes }),
  ),
  finding(
    'finds genes in any case',
    byGenes,
    (sites) => sites,
    ({ places, genes }) => ({ places, genes: genes.flatMap((gene) => [gene, gene.toUpperCase(), gene.toLowerCase()]) }),
  ),
  finding('finds sites by their first gene alone', byGenes, (sites, { genes }) =>
    sites.filter((site) => genes.length === 0 || genes.includes(site.genes[0] ?? '')),
  ),
  wrong('finds a site once for each place', 'a site is found once, however many places and genes have it', () => {
    return (right) => ({
      find: async (build, { places, genes }) => {
        const each = await Promise.all(places.map((place) => right.find(build, { places: [place], genes })));
        const { sets } = await right.find(build, { places: [], genes: [] });
        return { sets, sites: each.flatMap(({ sites }) => sites) };
      },
    });
  }),
  finding('orders sites by position alone', 'sites are in one order, whatever the order of the file', (sites) =>
    sites.sort((one, other) => one.start - other.start),
  ),
  wrong('adds new sites to the old ones', replaced, () => {
    const kept = new Map<string, Site[]>();
    return (right) => ({
      load: (request, now) => {
        const key = `${request.name} ${request.build}`;
        const before = kept.get(key) ?? [];
        async function* both() {
          yield before;
          for await (const batch of request.sites) {
            before.push(...batch);
            yield batch;
          }
        }
        kept.set(key, before);
        return right.load({ ...request, sites: both(), accept: (_, set) => request.accept(2, set) }, now);
      },
    });
  }),
  wrong('takes names that differ in case for one', replaced, () => (right) => ({
    load: (request, now) => right.load({ ...request, name: request.name.toLowerCase() }, now),
  })),
  wrong('removes the old set before the new one is accepted', failed, () => (right) => ({
    load: async (request, now) => {
      await right.remove(request.name, request.build);
      return right.load(request, now);
    },
  })),
  wrong('ignores the signal', failed, () => (right) => ({
    load: ({ signal: _, ...request }, now) => right.load(request, now),
  })),
  wrong('publishes sites as they come', 'the old set is found while another is loaded', () => (right) => ({
    load: async (request, now) => {
      const all: Site[] = [];
      async function* once() {
        yield [...all];
      }
      for await (const batch of request.sites) {
        all.push(...batch);
        await right.load({ ...request, sites: once() }, now);
      }
      return right.load({ ...request, sites: once() }, now);
    },
  })),
  wrong('removes the set of every build', 'a removed set is gone, and no other', () => (right) => ({
    remove: async (name, build) => {
      const removed = await right.remove(name, build);
      await right.remove(name, build === 'GRCh37' ? 'GRCh38' : 'GRCh37');
      return removed;
    },
  })),
  wrong('stores sites without bases', 'odd sites are refused, and the old set stays', () => (right) => ({
    load: (request, now) => {
      async function* sound() {
        for await (const batch of request.sites) yield batch.filter(({ start, end }) => end > start);
      }
      return right.load({ ...request, sites: sound() }, now);
    },
  })),
  finding('truncates long lists', '33 000 sites, places and genes are stored and found', (sites) =>
    sites.slice(0, 32_000),
  ),
];
