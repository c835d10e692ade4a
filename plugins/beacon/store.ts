/** beacon@1 above tables: an import is gathered before anything of it is written; reads derive from `moment`. */
import { randomBytes } from 'node:crypto';
import {
  absent,
  defineStore,
  defineTable,
  Fault,
  generated,
  integer,
  json,
  optional,
  person,
  type RowOf,
  type Tables,
  text,
  time,
} from '../../core/storage.js';
import { beacon } from './contract.js';
import { alleleKey } from './domain/allele.js';
import { type MovedAllele, type Rewritten, refuseOtherForm } from './domain/allele-form.js';
import {
  afterImport,
  changedFacts,
  type Sample,
  sameFacts,
  sameSearch,
  searchedWith,
  searchedWithout,
  unknownFacts,
} from './domain/sample.js';
import {
  type BeaconMoment,
  type BeaconStorage,
  type Change,
  type Dataset,
  type DatasetDescription,
  sameDescription,
} from './repository.js';
import { alleles, allelesIn } from './stored-alleles.js';
import { moveAlleles, movesIn } from './stored-forms.js';
import { addAlleles, gathered, type ReadImport, replace, takeOut } from './stored-imports.js';

/** Every change of a dataset holds its row. Its number is never used again, so that an import knows the dataset. */
const datasets = defineTable({
  name: 'beacon_datasets',
  columns: {
    number: generated(),
    id: text(),
    description: json<DatasetDescription>(),
    created: time(),
    updated: time(),
    salt: text(),
    alleles: integer(),
    calls: integer(),
    samples: integer(),
    alignedTo: optional(text()),
  },
  key: ['number'],
  unique: [['id']],
});

const samples = defineTable({
  name: 'beacon_samples',
  columns: {
    dataset: integer(),
    name: person(text()),
    added: optional(time()),
    facts: person(json<Omit<Sample, 'name' | 'added'>>()),
  },
  key: ['dataset', 'name'],
});

/** Why members of batches stay. */
export const asDigest = 'as a digest, so that the others of its batch never count without it';

const batches = defineTable({
  name: 'beacon_batches',
  columns: { dataset: integer(), series: text(), batches: person(json<readonly (readonly string[])[]>(), asDigest) },
  key: ['dataset', 'series'],
});

const all = [datasets, samples, alleles, batches] as const;

type StoredDataset = RowOf<typeof datasets.columns>;

function answerOf({
  description,
  created,
  updated,
  alleles: alleleCount,
  calls,
  samples: sampleCount,
  alignedTo,
}: StoredDataset): Dataset {
  const totals = { alleleCount, callCount: calls, sampleCount };
  return { ...description, created, updated, ...totals, ...(alignedTo !== undefined && { alignedTo }) };
}

function sampleOf({ name, added, facts }: RowOf<typeof samples.columns>): Sample {
  return { ...facts, affected: facts.affected, name, added };
}

function rowOf(dataset: number, { name, added, ...facts }: Sample) {
  return { dataset, name, added, facts };
}

async function storedSamples(tables: Tables, id: string): Promise<Sample[]> {
  const { number } = (await tables.table(datasets).one({ id })) ?? {};
  const found = number === undefined ? [] : await tables.table(samples).find({ where: { dataset: number } });
  return found.map(sampleOf).sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Holds a dataset. */
async function lockDataset(inside: Tables, id: string): Promise<StoredDataset> {
  const [row] = await inside.table(datasets).lock({ id });
  if (row === undefined) throw new Fault('not-found', `There is no dataset "${id}"`);
  return row;
}

/** Adds to the totals of a dataset, or takes from them, if anything changed. */
async function addToTotals(
  inside: Tables,
  { number }: StoredDataset,
  change: Change,
  sign: 1 | -1,
  now: Date,
  isNews = false,
) {
  if (change.calls === 0 && change.samples === 0 && !isNews) return change;
  await inside.table(datasets).change(
    { number },
    {
      alleles: { plus: sign * change.alleles },
      calls: { plus: sign * change.calls },
      samples: { plus: sign * change.samples },
      updated: now,
    },
  );
  return change;
}

export const store = defineStore<BeaconStorage>({
  contract: beacon,
  tables: all,
  steps: {
    '001-datasets-and-alleles': { tables: all },
    '002-forms': { adds: [{ table: datasets, columns: { alignedTo: undefined } }] },
  },
  repository: (tables) => ({
    datasets: async () =>
      (await tables.table(datasets).find()).map(answerOf).sort((one, other) => (one.id < other.id ? -1 : 1)),

    dataset: async (id) => {
      const row = await tables.table(datasets).one({ id });
      return row && answerOf(row);
    },

    addDataset: async (description, now) => {
      const totals = { alleles: 0, calls: 0, samples: 0 };
      const fresh = { id: description.id, description, created: now, updated: now, ...totals };
      const added = await tables.table(datasets).add({ ...fresh, salt: randomBytes(16).toString('hex') });
      if (added === undefined) throw new Fault('conflict', `There is already a dataset "${description.id}"`);
    },

    updateDataset: (description, now, from) =>
      tables.transaction(async (inside) => {
        const [known] = await inside.table(datasets).lock({ id: description.id });
        if (known === undefined || (from && !sameDescription(known.description, from))) return false;
        if (known.samples > 0 && known.description.assembly !== description.assembly) {
          throw new Fault('conflict', `Dataset "${description.id}" holds samples: its assembly cannot change`);
        }
        const isOther = known.description.assembly !== description.assembly;
        await inside
          .table(datasets)
          .change({ number: known.number }, { description, updated: now, ...(isOther && { alignedTo: absent }) });
        return true;
      }),

    samples: async (id) => (await tables.snapshot((moment) => storedSamples(moment, id))).map(({ name }) => name),

    sampleFacts: (id) => tables.snapshot((moment) => storedSamples(moment, id)),

    salt: async (id) => (await tables.table(datasets).one({ id }))?.salt,

    describeSamples: (id, changes, now) =>
      tables.transaction(async (inside) => {
        const dataset = await lockDataset(inside, id);
        const known = await samplesByName(inside, dataset, [...changes.keys()]);
        let changed = 0;
        for (const [name, change] of changes) {
          const before = known.get(name);
          if (before === undefined) throw new Fault('not-found', `Dataset "${id}" lacks one of the samples`);
          const after = changedFacts(before, change);
          if (sameFacts(before, after)) continue;
          await inside.table(samples).put(rowOf(dataset.number, after));
          changed++;
        }
        await addToTotals(inside, dataset, { alleles: 0, calls: 0, samples: 0 }, 1, now, changed > 0);
        return changed;
      }),

    importAlleles: async (request, now) => {
      const began = await tables.table(datasets).one({ id: request.dataset }, { latest: true });
      if (began === undefined) throw new Fault('not-found', `There is no dataset "${request.dataset}"`);
      refuseOtherForm(request, began);
      const read = await gathered(request);
      const searched = request.searched?.() ?? { small: true, structural: true };
      return tables.transaction(async (inside) => {
        const dataset = await lockDataset(inside, request.dataset);
        if (dataset.number !== began.number || dataset.description.assembly !== began.description.assembly) {
          throw new Fault('conflict', `Dataset "${request.dataset}" was replaced during the load`);
        }
        refuseOtherForm(request, dataset);
        const known = await samplesByName(inside, dataset, request.samples);
        const taken = request.replaces && (await replace(inside, dataset.number, { request, read, searched, known }));
        const found = await addAlleles(inside, dataset.number, read, taken?.emptied);
        const isLater = taken !== undefined || found.calls > 0 || found.uncalled > 0;
        const isNews = await addSamples(inside, dataset, { request, searched, known, isLater }, now);
        const change = { alleles: found.alleles, calls: found.calls, samples: request.samples.length - known.size };
        const replaced = taken && { alleles: taken.emptied.size, calls: taken.calls, samples: known.size };
        const net = {
          ...change,
          alleles: change.alleles - (replaced?.alleles ?? 0),
          calls: change.calls - (replaced?.calls ?? 0),
        };
        await addToTotals(
          inside,
          dataset,
          net,
          1,
          now,
          isNews || found.uncalled > 0 || (known.size > 0 && taken !== undefined),
        );
        return { ...change, ...(replaced && { replaced }) };
      });
    },

    removeSamples: (id, names, now) =>
      tables.transaction(async (inside) => {
        const dataset = await lockDataset(inside, id);
        const gone = await samplesByName(inside, dataset, names);
        await inside.table(samples).remove({ dataset: dataset.number, name: { among: [...gone.keys()] } });
        if (gone.size === 0) return { alleles: 0, calls: 0, samples: 0 };
        const { emptied, calls } = await takeOut(inside, dataset.number, (_, name) => gone.has(name));
        return addToTotals(inside, dataset, { alleles: emptied.size, calls, samples: gone.size }, -1, now);
      }),

    batches: (id, series) =>
      tables.snapshot(async (moment) => {
        const { number } = (await moment.table(datasets).one({ id })) ?? {};
        const row = number === undefined ? undefined : await moment.table(batches).one({ dataset: number, series });
        return row?.batches.map((batch) => [...batch]) ?? [];
      }),

    addBatches: (id, series, after, added) =>
      tables.transaction(async (inside) => {
        const [{ number: dataset } = {}] = await inside.table(datasets).lock({ id });
        if (dataset === undefined) return false;
        const known = (await inside.table(batches).one({ dataset, series }))?.batches ?? [];
        if (known.length !== after) return false;
        await inside.table(batches).put({ dataset, series, batches: [...known, ...added] });
        return true;
      }),

    removeDataset: (id) =>
      tables.transaction(async (inside) => {
        const [{ number } = {}] = await inside.table(datasets).lock({ id });
        if (number === undefined) return false;
        await inside.table(datasets).remove({ number });
        await inside.table(samples).remove({ dataset: number });
        await inside.table(alleles).remove({ dataset: number });
        await inside.table(batches).remove({ dataset: number });
        return true;
      }),

    async rewriteAlleles(id, rewriting, now) {
      // What is announced must not wait for the transaction, in which alleles may turn up that were not.
      const announced = new Set<string>();
      for (;;) {
        const known = await tables.table(datasets).one({ id }, { latest: true });
        if (known === undefined || known.alignedTo === rewriting.alignedTo) return undefined;
        const fresh = unannounced(await movesIn(tables, known.number, rewriting), announced);
        if (fresh.length > 0) await rewriting.onMoved?.(fresh);
        for (const { from } of fresh) announced.add(alleleKey(from));
        await rewriting.pause?.(0);
        const rewritten = await tables.transaction(async (inside): Promise<Rewritten | undefined> => {
          const [dataset] = await inside.table(datasets).lock({ id });
          if (dataset === undefined || dataset.alignedTo === rewriting.alignedTo) return undefined;
          const moves = await movesIn(inside, dataset.number, rewriting);
          if (unannounced(moves, announced).length > 0) return undefined;
          const { moved, ...fewer } = await moveAlleles(inside, dataset.number, moves);
          await inside.table(datasets).change({ number: dataset.number }, { alignedTo: rewriting.alignedTo });
          await addToTotals(inside, dataset, { ...fewer, samples: 0 }, -1, now, true);
          return { moved, ...fewer };
        });
        if (rewritten) return rewritten;
      }
    },

    moment: (work, signal) => tables.snapshot((moment) => work(momentOf(moment)), { signal }),
  }),
});

function unannounced(moves: readonly MovedAllele[], announced: ReadonlySet<string>): MovedAllele[] {
  return moves.filter(({ from }) => !announced.has(alleleKey(from)));
}

function momentOf(tables: Tables): BeaconMoment {
  return {
    datasets: async (ids) =>
      (await tables.table(datasets).find({ where: { id: { among: ids } } })).map(({ description }) => description),
    samples: (id) => storedSamples(tables, id),
    async *alleles(id, which = {}) {
      const { number } = (await tables.table(datasets).one({ id })) ?? {};
      if (number !== undefined) yield* allelesIn(tables, number, which);
    },
  };
}

/** Those of the samples that a dataset has. */
async function samplesByName(
  inside: Tables,
  { number }: StoredDataset,
  names: readonly string[],
): Promise<Map<string, Sample>> {
  const found = await inside.table(samples).find({ where: { dataset: number, name: { among: names } } });
  return new Map(found.map((row) => [row.name, sampleOf(row)]));
}

/** Adds the facts that an import states of its samples. Returns whether any fact of those that were there is new. */
async function addSamples(
  inside: Tables,
  { number }: StoredDataset,
  { request, searched, known, isLater }: ReadImport & { isLater: boolean },
  now: Date,
): Promise<boolean> {
  let isNews = false;
  for (const name of request.samples) {
    const before = known.get(name);
    const nothing = { small: false, structural: false };
    const { unsearched: _, ...rest } = before ?? { ...unknownFacts(name), name, added: now, searched: nothing };
    const after: Sample = {
      ...changedFacts(rest, request.facts?.get(name) ?? {}),
      ...searchedWith(before && request.replaces ? searchedWithout(before, searched) : before, searched),
      ...(before && isLater && afterImport(before, searched)),
    };
    if (before && !(sameFacts(before, after) && sameSearch(before, after))) isNews = true;
    await inside.table(samples).put(rowOf(number, after));
  }
  return isNews;
}
