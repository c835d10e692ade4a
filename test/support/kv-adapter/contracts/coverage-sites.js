/**
 * coverage-sites@1: every load writes the sites of each chromosome, in portions, under a new number, and the set says which
 * number is current.
 */
import { bySet, bySite, refuseOddSites } from 'trefoil/coverage/contract';
import { keyOf, under } from '../keys.js';

/** Sites under one key. */
const portion = 1000;

const setKey = (name, build) => keyOf('set', build, name);

export default ({ read, write }) => ({
  async load({ name, build, sites: batches, accept, signal }, now) {
    const sites = [];
    signal?.throwIfAborted();
    for await (const batch of batches) {
      refuseOddSites(batch);
      for (const site of batch) sites.push(site);
      signal?.throwIfAborted();
    }
    return write(async (space) => {
      const before = await space.get(setKey(name, build));
      const record = accept(sites.length, before?.set);
      if (before) space.leave('sites', before.number);
      const number = await space.fresh();
      for (let from = 0; from < sites.length; from += portion) {
        space.put(keyOf('sites', number, from), sites.slice(from, from + portion));
      }
      const set = { ...record, name, build, loaded: now, sites: sites.length };
      space.put(setKey(name, build), { number, set });
      return set;
    });
  },

  sets: (options) =>
    read(async (space) => {
      options?.signal?.throwIfAborted();
      const found = [];
      for await (const [, { set }] of space.range(under('set'))) found.push(set);
      return found.sort(bySet);
    }),

  find: (build, { places, genes }, options) =>
    read(async (space) => {
      options?.signal?.throwIfAborted();
      const names = new Set(genes);
      const isWanted = (site) =>
        site.genes.some((gene) => names.has(gene)) ||
        places.some(
          ({ chromosome, start, end }) => chromosome === site.chromosome && start < site.end && end > site.start,
        );
      const [sets, sites] = [[], []];
      for await (const [, { number, set }] of space.range(under('set', build))) {
        sets.push(set);
        for await (const [, stored] of space.range(under('sites', number))) {
          for (const site of stored) if (isWanted(site)) sites.push({ ...site, set: set.name });
        }
      }
      return { sets: sets.sort(bySet), sites: sites.sort(bySite) };
    }),

  remove: (name, build) =>
    write(async (space) => {
      const known = await space.get(setKey(name, build));
      if (known) {
        space.leave('sites', known.number);
        space.remove(setKey(name, build));
      }
      return known?.set;
    }),

  sweep: async () => 0,
});
