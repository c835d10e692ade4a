/** beacon@1: datasets by id, alleles by place (beacon/places.js), changed one import at a time (beacon/imports.js). */
import { randomUUID } from 'node:crypto';

import {
  Allowance,
  byAllele,
  changedFacts,
  matches,
  nearest,
  queryAround,
  sameDescription,
  sameFacts,
  Tally,
  widened,
} from 'trefoil/beacon/contract';
import { Fault } from 'trefoil/storage';
import { keyOf, under } from '../keys.js';
import { commonSites, genotypes } from './beacon/genotypes.js';
import { add, callsOf, datasetKey, existing, gathered, takeOut } from './beacon/imports.js';
import { observe } from './beacon/observations.js';
import { alleleKey, candidates, placeOf } from './beacon/places.js';
import { sampleKey, samplesOf } from './beacon/samples.js';

const portionSize = 1000;

const batchesKey = (dataset, series) => keyOf('batches', dataset, series);

function answerOf({ description, created, updated, totals: { alleles, calls, samples } }) {
  return { ...description, created, updated, alleleCount: alleles, callCount: calls, sampleCount: samples };
}

/** With the widest ranges that the imports of its carriers gave. */
function wholeAllele({ allele, portions }) {
  return portions.reduce(widened, allele);
}

/** Carriers by name. */
function inOrder(named) {
  return named.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Those of the named datasets in which a query may match, by id. */
async function asked(space, query, ids) {
  const sorted = [...new Set(ids)].sort();
  const found = await space.getMany(sorted.map(datasetKey));
  return found.filter((dataset) => dataset?.description.assembly === query.assembly);
}

async function* matching(space, { number }, query, signal) {
  signal?.throwIfAborted();
  for await (const stored of candidates(space, number, query)) {
    signal?.throwIfAborted();
    // Each portion with what its import stated of the allele.
    const portions = stored.portions.filter((portion) => matches(widened(stored.allele, portion), query));
    if (portions.length > 0) yield { ...stored, portions };
  }
}

export default ({ read, write }) => ({
  datasets: () =>
    read(async (space) => {
      const found = [];
      for await (const [, dataset] of space.range(under('dataset'))) found.push(answerOf(dataset));
      return found;
    }),

  dataset: (id) =>
    read(async (space) => {
      const dataset = await space.get(datasetKey(id));
      return dataset && answerOf(dataset);
    }),

  addDataset: (description, now) =>
    write(async (space) => {
      const key = datasetKey(description.id);
      if (await space.get(key)) throw new Fault('conflict', `There is already a dataset "${description.id}"`);
      // A number of its own, never reused: leftovers of a removed dataset belong to no other dataset.
      const number = await space.fresh();
      const totals = { alleles: 0, calls: 0, samples: 0 };
      const salt = randomUUID();
      space.put(key, { description, created: now, updated: now, number, salt, lastSample: 0, totals });
    }),

  updateDataset: (description, now, from) =>
    write(async (space) => {
      const key = datasetKey(description.id);
      const dataset = await space.get(key);
      if (!dataset || (from && !sameDescription(dataset.description, from))) return false;
      if (dataset.totals.samples > 0 && dataset.description.assembly !== description.assembly) {
        throw new Fault('conflict', `Dataset "${description.id}" holds samples: its assembly cannot change`);
      }
      space.put(key, { ...dataset, description, updated: now });
      return true;
    }),

  samples: (id) =>
    read(async (space) => {
      const dataset = await space.get(datasetKey(id));
      return dataset ? (await samplesOf(space, dataset)).map(({ name }) => name) : [];
    }),

  sampleFacts: (id) =>
    read(async (space) => {
      const dataset = await space.get(datasetKey(id));
      return dataset ? (await samplesOf(space, dataset)).map(({ number, ...sample }) => sample) : [];
    }),

  salt: (id) => read(async (space) => (await space.get(datasetKey(id)))?.salt),

  describeSamples: (id, changes, now) =>
    write(async (space) => {
      const dataset = await existing(space, id);
      let changed = 0;
      for (const [name, change] of changes) {
        const key = sampleKey(dataset.number, name);
        const sample = await space.get(key);
        if (!sample) throw new Fault('not-found', `Dataset "${id}" lacks one of the samples`);
        const corrected = changedFacts(sample, change);
        if (sameFacts(sample, corrected)) continue;
        space.put(key, corrected);
        changed += 1;
      }
      if (changed > 0) space.put(datasetKey(id), { ...dataset, updated: now });
      return changed;
    }),

  async importAlleles(request, now) {
    const began = await read((space) => existing(space, request.dataset));
    const alleles = await gathered(request);
    return write(async (space) => {
      // A dataset that was removed and added again has a new number.
      const { number, description } = await existing(space, request.dataset);
      if (number !== began.number || description.assembly !== began.description.assembly) {
        throw new Fault('conflict', `Dataset "${request.dataset}" was replaced during the load`);
      }
      return add(space, request, alleles, now);
    });
  },

  removeSamples: (dataset, samples, now) => write((space) => takeOut(space, dataset, samples, now)),

  batches: (id, series) =>
    read(async (space) => {
      const dataset = await space.get(datasetKey(id));
      return (dataset && (await space.get(batchesKey(dataset.number, series)))) ?? [];
    }),

  addBatches: (id, series, after, batches) =>
    write(async (space) => {
      const dataset = await space.get(datasetKey(id));
      if (!dataset) return false;
      const key = batchesKey(dataset.number, series);
      const known = (await space.get(key)) ?? [];
      if (known.length !== after) return false;
      space.put(key, [...known, ...batches]);
      return true;
    }),

  removeDataset: (id) =>
    write(async (space) => {
      const dataset = await space.get(datasetKey(id));
      if (!dataset) return false;
      space.remove(datasetKey(id));
      for (const kind of ['sample', 'alleles', 'wide', 'mates', 'structural', 'trimmed', 'batches', 'uncalled'])
        space.leave(kind, dataset.number);
      return true;
    }),

  search: (query, ids, { limit, signal } = {}) =>
    read(async (space) => {
      const hits = [];
      const allowance = new Allowance(limit);
      for (const dataset of await asked(space, query, ids)) {
        const tally = new Tally();
        for await (const { allele, portions } of matching(space, dataset, query, signal)) {
          for (const { carriers } of portions) {
            allowance.take(allele, carriers.length);
            tally.add(
              allele,
              carriers.map(([sample, copies]) => [String(sample), copies]),
            );
          }
        }
        if (tally.alleles > 0) hits.push({ dataset: dataset.description.id, ...tally.counts() });
      }
      return hits;
    }),

  present: (query, ids, { most = Number.POSITIVE_INFINITY, signal } = {}) =>
    read(async (space) => {
      const found = [];
      for (const dataset of await asked(space, query, ids)) {
        if (found.length >= most) break;
        for await (const _ of matching(space, dataset, query, signal)) {
          found.push(dataset.description.id);
          break;
        }
      }
      return found;
    }),

  found: (query, ids, { limit, carriers: wanted = false, signal }) =>
    read(async (space) => {
      const found = [];
      const [ofAlleles, ofCarriers] = [new Allowance(limit, 'alleles'), new Allowance(limit)];
      for (const dataset of await asked(space, query, ids)) {
        const samples = wanted ? await samplesOf(space, dataset) : [];
        const names = new Map(samples.map(({ number, name }) => [number, name]));
        const alleles = [];
        for await (const stored of matching(space, dataset, query, signal)) {
          const carriers = stored.portions.flatMap((portion) => portion.carriers);
          const allele = wholeAllele(stored);
          ofAlleles.take(allele, 1);
          if (wanted) ofCarriers.take(allele, carriers.length);
          alleles.push({
            ...allele,
            calls: callsOf(carriers),
            samples: carriers.length,
            ...(wanted && { named: inOrder(carriers.map(([number, copies]) => [names.get(number), copies])) }),
          });
        }
        if (alleles.length > 0) found.push({ dataset: dataset.description.id, alleles: alleles.sort(byAllele) });
      }
      return found;
    }),

  observe: (assembly, questions, ids, { signal, ...requested } = {}) =>
    read(async (space) => {
      signal?.throwIfAborted();
      const datasets = await asked(space, { assembly }, ids);
      const samples = new Map();
      for (const dataset of datasets) samples.set(dataset, await samplesOf(space, dataset));
      const observations = [];
      for (const question of questions) {
        signal?.throwIfAborted();
        const found = [];
        for (const dataset of datasets)
          found.push(await observe(space, dataset, samples.get(dataset), question, requested));
        observations.push(found);
      }
      return observations;
    }),

  nearby: (id, question, { reach, limit, signal }) =>
    read(async (space) => {
      const dataset = await space.get(datasetKey(id));
      if (!dataset) return [];
      const found = [];
      const query = queryAround(dataset.description.assembly, question, reach);
      for await (const { allele, portions } of matching(space, dataset, query, signal)) {
        found.push({ ...allele, calls: portions.reduce((sum, { carriers }) => sum + callsOf(carriers), 0) });
      }
      return nearest(found, question, limit);
    }),

  genotypes: (id, sites, { signal } = {}) =>
    read(async (space) => {
      signal?.throwIfAborted();
      const dataset = await space.get(datasetKey(id));
      return dataset && genotypes(space, dataset, await samplesOf(space, dataset), sites);
    }),

  commonSites: (id, most) =>
    read(async (space) => {
      const dataset = await space.get(datasetKey(id));
      return dataset ? commonSites(space, dataset, most) : [];
    }),

  examples: (id, structural, limit) =>
    read(async (space) => {
      const found = [];
      const dataset = await space.get(datasetKey(id));
      if (!dataset || limit < 1) return found;
      const range = under(structural ? 'structural' : 'alleles', dataset.number);
      for await (const [, held] of space.range(range)) {
        const stored = structural ? await space.get(held) : held;
        if (stored.allele.structural === structural) found.push(wholeAllele(stored));
        if (found.length >= limit) break;
      }
      return found;
    }),

  eachAllele: (id, take, { after, signal } = {}) =>
    read(async (space) => {
      const { number } = await existing(space, id);
      const { from, before } = under('alleles', number);
      const range = { from: after ? `${alleleKey(number, placeOf(after))}\u0000` : from, before };
      let portion = [];
      for await (const [, stored] of space.range(range)) {
        signal?.throwIfAborted();
        const calls = stored.portions.reduce((sum, { carriers }) => sum + callsOf(carriers), 0);
        portion.push({ ...wholeAllele(stored), calls });
        if (portion.length < portionSize) continue;
        if ((await take(portion)) === false) return;
        portion = [];
      }
      if (portion.length > 0) await take(portion);
    }),

  recount: (id) =>
    read(async (space) => {
      const { number } = await existing(space, id);
      const counts = { alleles: 0, calls: 0, samples: 0 };
      for await (const [, { portions }] of space.range(under('alleles', number))) {
        counts.alleles += 1;
        for (const { carriers } of portions) counts.calls += callsOf(carriers);
      }
      for await (const _ of space.range(under('sample', number))) counts.samples += 1;
      return counts;
    }),

  /** A dataset is read as a whole, however many imports it has. */
  fragmented: async () => [],
  compact: async () => 0,

  /** An interrupted import has written nothing. */
  sweep: async () => 0,
  leftovers: async () => 0,
});
