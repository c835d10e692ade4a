/** beacon@1 in memory: every dataset is one value that writes replace, so that an import is seen whole or not at all. */
import { randomUUID } from 'node:crypto';
import { Fault } from '../../core/storage.js';
import {
  type Allele,
  type AlleleQuery,
  Allowance,
  afterImport,
  alleleAt,
  alleleKey,
  type BeaconRepository,
  beacon,
  byAllele,
  type CalledAllele,
  type Carrier,
  type Change,
  type Counts,
  callsWithinBounds,
  changedFacts,
  type Dataset,
  Genotypes,
  type Import,
  isSite,
  matches,
  mostTelling,
  nearest,
  queryAround,
  type Sample,
  type Statement,
  sameDescription,
  sameFacts,
  sameSearch,
  searchedWith,
  siteOf,
  Tally,
  unknownFacts,
  widened,
} from '../../plugins/beacon/contract.js';
import { counted, foundAlleles, matchingCarriers, wholeAllele, withCalls } from './beacon-found.js';
import { type Held, ObservedDataset, type StoredDataset } from './beacon-observed.js';
import { defineBinding } from './binding.js';

type Datasets = Map<string, StoredDataset>;

function existing(datasets: Datasets, id: string): StoredDataset {
  const dataset = datasets.get(id);
  if (!dataset) throw new Fault('not-found', `There is no dataset "${id}"`);
  return dataset;
}

function countsOf({ alleles, samples }: Pick<StoredDataset, 'alleles' | 'samples'>): Counts {
  let calls = 0;
  for (const { carriers } of alleles.values()) for (const { copies } of carriers.values()) calls += copies;
  return { alleles: alleles.size, calls, samples: samples.size };
}

function answerOf(stored: StoredDataset): Dataset {
  const { alleles, calls, samples } = countsOf(stored);
  const { description, created, updated } = stored;
  const totals = { alleleCount: alleles, callCount: calls, sampleCount: samples };
  return structuredClone({ ...description, created, updated, ...totals });
}

/** Puts a new value of a dataset in the place of the old one, unless they are the same; answers what changed. */
function replace(datasets: Datasets, before: StoredDataset, after: Omit<StoredDataset, 'updated'>, now: Date): Change {
  const [was, is] = [countsOf(before), countsOf(after)];
  const change = {
    alleles: Math.abs(is.alleles - was.alleles),
    calls: Math.abs(is.calls - was.calls),
    samples: Math.abs(is.samples - was.samples),
  };
  const described = [...after.samples].some(([name, sample]) => {
    const known = before.samples.get(name);
    return known !== undefined && !sameSample(known, sample);
  });
  if (change.calls > 0 || change.samples > 0 || described || carriersOf(before) !== carriersOf(after)) {
    datasets.set(before.description.id, { ...after, updated: new Date(now) });
  }
  return change;
}

/** How many samples were not called at alleles, over all of them. */
function carriersOf({ uncalled }: Pick<StoredDataset, 'uncalled'>): number {
  return [...uncalled.values()].reduce((sum, { carriers }) => sum + carriers.size, 0);
}

function sameSample(one: Sample, other: Sample): boolean {
  return sameFacts(one, other) && sameSearch(one, other);
}

function newSample(name: string, now: Date): Sample {
  return { ...unknownFacts(name), name, added: new Date(now), searched: { small: false, structural: false } };
}

/** The samples with those of an import, which adds so many calls. */
function withSamples({ samples }: StoredDataset, request: Import, calls: number, now: Date): Map<string, Sample> {
  const all = new Map(samples);
  const searched = request.searched?.() ?? { small: true, structural: true };
  for (const name of request.samples) {
    const before = all.get(name);
    const { unsearched: _, ...known } = before ?? newSample(name, now);
    const facts = changedFacts(known, structuredClone(request.facts?.get(name) ?? {}));
    all.set(name, {
      ...facts,
      ...structuredClone(searchedWith(before, searched)),
      ...(before && calls > 0 && afterImport(before, searched)),
    });
  }
  return all;
}

/** The dataset with more in it. What a sample has already stays as it is. */
function withAlleles(
  dataset: StoredDataset,
  request: Import,
  added: readonly CalledAllele[],
  now: Date,
): StoredDataset {
  const { samples } = request;
  const alleles = new Map(dataset.alleles);
  const missed = new Map(dataset.uncalled);
  // Of calls, and of samples that were not called.
  let calls = 0;
  for (const { carriers, uncalled = [], startRange, endRange, length, ...allele } of added) {
    const key = alleleKey(allele);
    const stated = {
      ...(startRange && { startRange }),
      ...(endRange && { endRange }),
      ...(length !== undefined && { length }),
    };
    const addTo = (those: Map<string, Held>, more: readonly Carrier[], statement: Statement) => {
      const held = those.get(key);
      const known = new Map(held?.carriers);
      for (const [index, copies] of more) {
        const sample = samples[index];
        if (sample === undefined) throw new RangeError(`A carrier names sample ${index} of ${samples.length}`);
        if (known.has(sample)) continue;
        calls++;
        known.set(sample, { copies, ...statement });
      }
      if (known.size > 0) those.set(key, { allele: held?.allele ?? allele, carriers: known });
    };
    addTo(alleles, carriers, stated);
    const none = uncalled.map((sample): Carrier => [sample, 0]);
    addTo(missed, none, {});
  }
  return { ...dataset, alleles, uncalled: missed, samples: withSamples(dataset, request, calls, now) };
}

/** The dataset without some samples, and without the alleles that no other sample carries. */
function withoutSamples(dataset: StoredDataset, gone: ReadonlySet<string>): StoredDataset {
  const rest = (those: ReadonlyMap<string, Held>) =>
    new Map(
      [...those].flatMap(([key, { allele, carriers }]) => {
        const kept = new Map([...carriers].filter(([sample]) => !gone.has(sample)));
        return kept.size > 0 ? [[key, { allele, carriers: kept }] as const] : [];
      }),
    );
  return {
    ...dataset,
    alleles: rest(dataset.alleles),
    uncalled: rest(dataset.uncalled),
    samples: new Map([...dataset.samples].filter(([name]) => !gone.has(name))),
  };
}

/**
 * Reads an import to its end before anything is written: a failure half way leaves nothing to undo. Each allele once,
 * with the widest of its ranges and the first number of copies of each sample.
 */
async function gathered({ alleles, signal }: Import): Promise<CalledAllele[]> {
  const all = new Map<string, { allele: Allele; copies: Map<number, number>; missed: Set<number> }>();
  signal?.throwIfAborted();
  for await (const batch of alleles) {
    signal?.throwIfAborted();
    for (const { carriers, uncalled = [], ...allele } of batch) {
      const key = alleleKey(allele);
      const held = all.get(key) ?? { allele: structuredClone(allele), copies: new Map(), missed: new Set() };
      const { allele: known, copies, missed } = held;
      for (const sample of uncalled) missed.add(sample);
      for (const [sample, count] of carriers) if (!copies.has(sample)) copies.set(sample, count);
      callsWithinBounds(allele, copies);
      all.set(key, { allele: structuredClone(widened(known, allele)), copies, missed });
    }
  }
  signal?.throwIfAborted();
  return [...all.values()].map(({ allele, copies, missed }) => ({
    ...allele,
    carriers: [...copies],
    uncalled: [...missed],
  }));
}

/** The datasets, among those named, that may hold what the query asks for; by id. */
function candidates(datasets: Datasets, query: AlleleQuery, ids: readonly string[]): [string, StoredDataset][] {
  return [...new Set(ids)].sort().flatMap((id) => {
    const dataset = datasets.get(id);
    return dataset?.description.assembly === query.assembly ? [[id, dataset]] : [];
  });
}

export default defineBinding<BeaconRepository, Datasets>({
  contract: beacon,
  empty: () => new Map(),
  copy: (state) => new Map(state),
  repository: ({ read, write }) => ({
    datasets: async () => {
      const datasets = await read();
      return [...datasets.keys()].sort().map((id) => answerOf(existing(datasets, id)));
    },

    dataset: async (id) => {
      const stored = (await read()).get(id);
      return stored && answerOf(stored);
    },

    addDataset: (description, now) =>
      write((draft) => {
        if (draft.has(description.id)) throw new Fault('conflict', `There is already a dataset "${description.id}"`);
        const [created, updated] = [new Date(now), new Date(now)];
        draft.set(description.id, {
          description: structuredClone(description),
          created,
          updated,
          salt: randomUUID(),
          samples: new Map(),
          alleles: new Map(),
          batches: new Map(),
          uncalled: new Map(),
        });
      }),

    updateDataset: (description, now, from) =>
      write((draft) => {
        const stored = draft.get(description.id);
        if (!stored || (from && !sameDescription(stored.description, from))) return false;
        if (stored.samples.size > 0 && stored.description.assembly !== description.assembly) {
          throw new Fault('conflict', `Dataset "${description.id}" holds samples: its assembly cannot change`);
        }
        draft.set(description.id, { ...stored, description: structuredClone(description), updated: new Date(now) });
        return true;
      }),

    samples: async (dataset) => [...((await read()).get(dataset)?.samples.keys() ?? [])].sort(),

    sampleFacts: async (dataset) => {
      const samples = (await read()).get(dataset)?.samples ?? new Map<string, Sample>();
      return structuredClone([...samples.keys()].sort().map((name) => samples.get(name) as Sample));
    },

    salt: async (dataset) => (await read()).get(dataset)?.salt,

    describeSamples: (dataset, changes, now) =>
      write((draft) => {
        const before = existing(draft, dataset);
        const samples = new Map(before.samples);
        let changed = 0;
        for (const [name, change] of changes) {
          const known = samples.get(name);
          if (!known) throw new Fault('not-found', `Dataset "${dataset}" lacks one of the samples`);
          const sample = changedFacts(known, structuredClone(change));
          if (!sameFacts(known, sample)) changed++;
          samples.set(name, sample);
        }
        replace(draft, before, { ...before, samples }, now);
        return changed;
      }),

    importAlleles: async (request, now) => {
      const { created, description } = existing(await read(), request.dataset);
      const added = await gathered(request);
      return write((draft) => {
        const before = existing(draft, request.dataset);
        // The same object, not merely the same moment: a dataset that was added again has another.
        if (before.created !== created || before.description.assembly !== description.assembly) {
          throw new Fault('conflict', `Dataset "${request.dataset}" was replaced during the load`);
        }
        return replace(draft, before, withAlleles(before, request, added, now), now);
      });
    },

    removeSamples: (dataset, samples, now) =>
      write((draft) => {
        const before = existing(draft, dataset);
        return replace(draft, before, withoutSamples(before, new Set(samples)), now);
      }),

    batches: async (dataset, series) =>
      structuredClone((await read()).get(dataset)?.batches.get(series) ?? []).map((one) => [...one]),

    addBatches: (dataset, series, after, added) =>
      write((draft) => {
        const stored = draft.get(dataset);
        const known = stored?.batches.get(series) ?? [];
        if (!stored || known.length !== after) return false;
        const batches = new Map(stored.batches).set(series, [...known, ...structuredClone(added)]);
        draft.set(dataset, { ...stored, batches });
        return true;
      }),

    removeDataset: (id) => write((draft) => draft.delete(id)),

    search: async (query, ids, { limit, signal } = {}) => {
      signal?.throwIfAborted();
      const allowance = new Allowance(limit);
      return candidates(await read(), query, ids).flatMap(([dataset, { alleles }]) => {
        const tally = new Tally();
        let found = false;
        for (const held of alleles.values()) {
          const carriers = matchingCarriers(held, query);
          if (carriers.length === 0) continue;
          found = true;
          allowance.take(held.allele, carriers.length);
          tally.add(held.allele, carriers);
        }
        return found ? [{ dataset, ...tally.counts() }] : [];
      });
    },

    present: async (query, ids, { most, signal } = {}) => {
      signal?.throwIfAborted();
      return candidates(await read(), query, ids)
        .filter(([, { alleles }]) => [...alleles.values()].some((held) => matchingCarriers(held, query).length > 0))
        .map(([dataset]) => dataset)
        .slice(0, most);
    },

    found: async (query, ids, { signal, ...options }) => {
      signal?.throwIfAborted();
      return foundAlleles(candidates(await read(), query, ids), query, options);
    },

    observe: async (assembly, questions, ids, { signal, ...requested } = {}) => {
      signal?.throwIfAborted();
      const stored = await read();
      const asked = [...new Set(ids)].sort().filter((id) => stored.get(id)?.description.assembly === assembly);
      const datasets = asked.map((id) => new ObservedDataset(existing(stored, id)));
      return questions.map((question) => datasets.map((dataset) => dataset.observe(question, requested)));
    },

    nearby: async (dataset, question, { reach, limit, signal }) => {
      signal?.throwIfAborted();
      const stored = (await read()).get(dataset);
      if (!stored) return [];
      const query = queryAround(stored.description.assembly, question, reach);
      const found = [...stored.alleles.values()].filter(({ allele }) => matches(allele, query)).map(counted);
      return nearest(found, question, limit);
    },

    genotypes: async (dataset, sites, { signal } = {}) => {
      signal?.throwIfAborted();
      const stored = (await read()).get(dataset);
      if (!stored) return undefined;
      const names = [...stored.samples.keys()].sort();
      const numbers = new Map(names.map((name, number) => [name, number]));
      const genotypes = new Genotypes(names.length, sites.length);
      for (const [place, site] of sites.entries()) {
        const carriers = stored.alleles.get(alleleKey(alleleAt(site)))?.carriers ?? [];
        for (const [name, { copies }] of carriers) genotypes.set(numbers.get(name) ?? -1, place, copies);
      }
      return { samples: structuredClone(names.map((name) => stored.samples.get(name) as Sample)), genotypes };
    },

    commonSites: async (dataset, most) => {
      const stored = (await read()).get(dataset);
      const found = [...(stored?.alleles.values() ?? [])].map(counted).filter(isSite).sort(byAllele);
      const calls = found.map((allele) => allele.calls);
      return mostTelling(calls, stored?.samples.size ?? 0, most).map((place) => siteOf(found[place] as Allele));
    },

    examples: async (dataset, structural, limit) => {
      const alleles = [...((await read()).get(dataset)?.alleles.values() ?? [])].map(wholeAllele);
      return structuredClone(alleles.filter((allele) => allele.structural === structural).slice(0, limit));
    },

    eachAllele: async (dataset, take, { after, signal } = {}) => {
      const { alleles } = existing(await read(), dataset);
      const wanted = [...alleles.values()].filter(({ allele }) => !after || byAllele(allele, after) > 0);
      const all = wanted.map(withCalls).sort(byAllele);
      for (let i = 0; i < all.length; i += 1000) {
        signal?.throwIfAborted();
        if ((await take(all.slice(i, i + 1000))) === false) return;
      }
    },

    recount: async (dataset) => countsOf(existing(await read(), dataset)),

    fragmented: async () => [],
    compact: async () => 0,

    /** What an interrupted import gathered went with it. */
    sweep: async () => 0,
    leftovers: async () => 0,
  }),
});
