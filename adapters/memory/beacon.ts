/** beacon@1 in memory: every dataset is one value that writes replace, so that an import is seen whole or not at all. */
import { randomUUID } from 'node:crypto';
import { Fault } from '../../core/storage.js';
import {
  type Allele,
  afterImport,
  alleleKey,
  type BeaconStorage,
  beacon,
  byAllele,
  type CalledAllele,
  type Carrier,
  type Change,
  type Counts,
  callsWithinBounds,
  changedFacts,
  type Dataset,
  type DatasetDescription,
  type Import,
  type Sample,
  type Statement,
  sameDescription,
  sameFacts,
  sameSearch,
  searchedWith,
  unknownFacts,
  widened,
} from '../../plugins/beacon/contract.js';
import { defineBinding } from './binding.js';

/** What an import said of a sample that carries an allele. */
interface Carried extends Statement {
  readonly copies: number;
}

/** An allele, and who carries it. */
interface Held {
  /** Without ranges and length: these come with the carriers. */
  readonly allele: Allele;
  readonly carriers: ReadonlyMap<string, Carried>;
}

interface StoredDataset {
  readonly description: DatasetDescription;
  readonly created: Date;
  readonly updated: Date;
  readonly salt: string;
  readonly samples: ReadonlyMap<string, Sample>;
  /** By `alleleKey`. */
  readonly alleles: ReadonlyMap<string, Held>;
  /** By series. */
  readonly batches: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** The same for samples whose genotype was not called, without copies. */
  readonly uncalled: ReadonlyMap<string, Held>;
}

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

function samplesOf(stored: StoredDataset | undefined): Sample[] {
  const samples = stored?.samples ?? new Map<string, Sample>();
  return [...samples.keys()].sort().map((name) => samples.get(name) as Sample);
}

export default defineBinding<BeaconStorage, Datasets>({
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
      return structuredClone(samplesOf((await read()).get(dataset)));
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

    moment: async (work, signal) => {
      signal?.throwIfAborted();
      const datasets = await read();
      return work({
        dataset: async (id) => datasets.get(id)?.description,
        samples: async (id) => structuredClone(samplesOf(datasets.get(id))),
        async *alleles(id, { query, starts, after } = {}) {
          const { alleles = new Map<string, Held>(), uncalled = new Map<string, Held>() } = datasets.get(id) ?? {};
          const all = [...new Map([...uncalled, ...alleles])].map(([key, { allele }]) => ({ key, allele }));
          const wanted = all.filter(({ allele }) => !after || byAllele(allele, after) > 0);
          if (!query && !starts) wanted.sort((one, other) => byAllele(one.allele, other.allele));
          for (const { key, allele } of wanted) {
            const portions = [...(alleles.get(key)?.carriers ?? [])].map(([name, { copies, ...stated }]) => ({
              ...structuredClone(stated),
              carriers: [[name, copies] as const],
            }));
            yield {
              allele: structuredClone(allele),
              portions,
              uncalled: [...(uncalled.get(key)?.carriers.keys() ?? [])],
            };
          }
        },
      });
    },
  }),
});
