/** Beacon repositories that return wrong alleles for a query. */
import { Fault } from '../../../../core/storage.js';
import {
  type BeaconRepository,
  byAllele,
  type DatasetAlleles,
  type FoundAllele,
} from '../../../../plugins/beacon/contract.js';
import { small } from '../../beacon/build.js';
import type { Wrong } from '../wrap.js';
import { wrong } from './damage.js';

const severalImports = 'an allele of several imports is found once, with the calls and carriers of all';
const bounded = 'the alleles that are found are bounded, and so are carriers that are named';
const junctions = 'both records of a junction are found, each once';

type Found = BeaconRepository['found'];

const changed = (does: string, fails: string, change: (alleles: readonly FoundAllele[]) => FoundAllele[]): Wrong =>
  finds(does, fails, async (right, ...asked) =>
    (await right.found(...asked)).map(({ dataset, alleles }) => ({ dataset, alleles: change(alleles) })),
  );

const finds = (
  does: string,
  fails: string,
  found: (right: BeaconRepository, ...asked: Parameters<Found>) => Promise<DatasetAlleles[]>,
): Wrong => wrong(does, fails, () => (right) => ({ found: (...asked) => found(right, ...asked) }));

type Each = BeaconRepository['eachAllele'];

const lists = (
  does: string,
  fails: string,
  each: (right: BeaconRepository, ...asked: Parameters<Each>) => Promise<void>,
): Wrong => wrong(does, fails, () => (right) => ({ eachAllele: (...asked) => each(right, ...asked) }));

const fromAnyPlace = 'alleles are listed from any place on, stored or not';

export const wrongBeaconFound: readonly Wrong[] = [
  // Listings
  lists('lists the allele itself again', fromAnyPlace, (right, dataset, take, { after, ...options } = {}) =>
    right.eachAllele(
      dataset,
      (alleles) => take(after ? alleles.filter((allele) => byAllele(allele, after) >= 0) : alleles),
      options,
    ),
  ),
  lists('lists from a start on', fromAnyPlace, (right, dataset, take, { after, ...options } = {}) =>
    right.eachAllele(
      dataset,
      (alleles) =>
        take(after ? alleles.filter((each) => each.contig !== after.contig || each.start > after.start) : alleles),
      options,
    ),
  ),
  lists('does not know mates when it lists', fromAnyPlace, (right, dataset, take, { after, ...options } = {}) => {
    const { mate: _, ...place } = after ?? small('1', 0, 'A', 'C');
    return right.eachAllele(
      dataset,
      (alleles) => take(after ? alleles.filter(({ mate: __, ...allele }) => byAllele(allele, place) > 0) : alleles),
      options,
    );
  }),
  lists('looks for the allele to list from', fromAnyPlace, async (right, dataset, take, { after, ...options } = {}) => {
    let begun = !after;
    await right.eachAllele(
      dataset,
      (alleles) => {
        const at = after ? alleles.findIndex((allele) => byAllele(allele, after) === 0) : -1;
        const some = begun ? alleles : alleles.slice(at < 0 ? alleles.length : at + 1);
        begun ||= at >= 0;
        return take(some);
      },
      options,
    );
  }),
  lists('lists to the end', 'a listing ends once its consumer has enough', (right, dataset, take, options) =>
    right.eachAllele(dataset, async (alleles) => void (await take(alleles)), options),
  ),
  // Alleles that are found
  changed('counts calls for carriers', severalImports, (alleles) =>
    alleles.map((allele) => ({ ...allele, samples: allele.calls })),
  ),
  changed('names carriers in the order of their imports', severalImports, (alleles) =>
    alleles.map(({ named, ...allele }) => ({ ...allele, ...(named && { named: named.toReversed() }) })),
  ),
  finds('always names the carriers', severalImports, (right, query, datasets, options) =>
    right.found(query, datasets, { ...options, carriers: true }),
  ),
  finds('returns datasets without any matching allele', severalImports, async (right, query, datasets, options) => {
    const found = await right.found(query, datasets, options);
    return datasets.map((dataset) => found.find((each) => each.dataset === dataset) ?? { dataset, alleles: [] });
  }),
  finds('returns an allele of each import', 'thousands of alleles of several imports are found in order', async (right, ...asked) =>
    (await right.found(...asked)).map(({ dataset, alleles }) => ({
      dataset,
      alleles: alleles.flatMap((allele) => Array.from({ length: allele.samples }, () => ({ ...allele, samples: 1 }))),
    })),
  ), // biome-ignore format: one adapter
  changed('forgets the ranges', 'alleles are found with what imports of their carriers stated of them', (alleles) =>
    alleles.map(({ startRange: _, endRange: __, ...allele }) => allele),
  ),
  changed(
    'forgets the length of insertions',
    'alleles are found with what imports of their carriers stated of them',
    (alleles) => alleles.map(({ length: _, ...allele }) => allele),
  ),
  changed('returns one record of a junction', junctions, (alleles) => {
    const seen = new Set<number>();
    return alleles.filter(({ start, end }) => !seen.has(start + end) && seen.add(start + end));
  }),
  changed('returns a record for each of its ends', junctions, (alleles) =>
    alleles.flatMap((allele) => (allele.mate === allele.contig ? [allele, allele] : [allele])),
  ),
  changed('orders alleles by the number of calls', 'thousands of alleles of several imports are found in order', (alleles) =>
    alleles.toSorted((one, other) => other.calls - one.calls),
  ), // biome-ignore format: one adapter
  finds('cuts the result off at the limit', bounded, async (right, query, datasets, { limit, ...options }) =>
    (await right.found(query, datasets, { ...options, limit: 1000 })).map(({ dataset, alleles }) => ({
      dataset,
      alleles: alleles.slice(0, limit),
    })),
  ),
  finds('limits each dataset by itself when it finds alleles', bounded, async (right, query, datasets, options) =>
    (await Promise.all(datasets.map((id) => right.found(query, [id], options)))).flat(),
  ),
  finds('limits alleles, but not the carriers that it names', bounded, async (right, query, datasets, options) => {
    await right.found(query, datasets, { ...options, carriers: false });
    return right.found(query, datasets, { ...options, limit: Number.POSITIVE_INFINITY });
  }),
  finds('refuses a single allele of many carriers', bounded, async (right, query, datasets, options) => {
    const found = await right.found(query, datasets, options);
    const samples = found.flatMap(({ alleles }) => alleles.map((allele) => allele.samples));
    if (options.carriers && samples.some((count) => count > options.limit)) throw new Fault('invalid', 'Too many');
    return found;
  }),
  finds(
    'finds alleles in one dataset after the other',
    'alleles found in several datasets show one moment',
    async (right, query, datasets, options) => {
      const found = [];
      for (const id of datasets) {
        found.push(...(await right.found(query, [id], options)));
        for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      }
      return found;
    },
  ),
  finds(
    'finds alleles for nobody',
    'a caller that gives up gets its reason instead of alleles',
    (right, query, datasets, { signal: _, ...options }) => right.found(query, datasets, options),
  ),
];
