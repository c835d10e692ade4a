/** How imports and removals change the alleles of a dataset. */

import { callsWithinBounds, widened } from 'trefoil/beacon/contract';
import { Fault } from 'trefoil/storage';
import { keyOf, under } from '../../keys.js';
import { alleleKey, entriesOf, placeOf, uncalledKeys } from './places.js';
import { sampleKey, withLater, withSaid } from './samples.js';

export const datasetKey = (id) => keyOf('dataset', id);

export async function existing(space, id) {
  const dataset = await space.get(datasetKey(id));
  if (!dataset) throw new Fault('not-found', `There is no dataset "${id}"`);
  return dataset;
}

/**
 * Reads an import to its end, before anything is written and while others write: by place an allele, the widest of its
 * stated ranges and the largest length, and the first number of copies of each sample.
 */
export async function gathered({ alleles, samples, signal }) {
  const all = new Map();
  signal?.throwIfAborted();
  for await (const batch of alleles) {
    signal?.throwIfAborted();
    for (const { carriers, uncalled = [], startRange, endRange, length, ...allele } of batch) {
      const place = placeOf(allele);
      const held = all.get(place) ?? { allele, copies: new Map(), uncalled: new Set() };
      for (const index of uncalled) held.uncalled.add(index);
      held.stated = structuredClone(widened(held.stated ?? {}, { startRange, endRange, length }));
      for (const [index, copies] of carriers) {
        if (index < 0 || index >= samples.length)
          throw new RangeError(`A carrier names sample ${index} of ${samples.length}`);
        if (!held.copies.has(index)) held.copies.set(index, copies);
      }
      callsWithinBounds({ ...allele, startRange, endRange, length }, held.copies);
      if (held.copies.size + held.uncalled.size > 0) all.set(place, held);
    }
  }
  signal?.throwIfAborted();
  return all;
}

/** Adds gathered alleles. An allele keeps a portion for each import: its ranges and length, and its new carriers. */
export async function add(space, { dataset: id, samples, facts, searched }, alleles, now) {
  const dataset = await existing(space, id);
  const change = { alleles: 0, calls: 0, samples: 0 };
  const kinds = searched?.() ?? { small: true, structural: true };
  const known = await space.getMany(samples.map((name) => sampleKey(dataset.number, name)));
  const numbers = [];
  const before = [];
  let described = false;
  for (const [index, name] of samples.entries()) {
    const sample = withSaid(known[index], { name, now, facts: facts?.get(name), searched: kinds });
    if (!known[index]) {
      dataset.lastSample += 1;
      change.samples += 1;
    }
    numbers[index] = known[index]?.number ?? dataset.lastSample;
    if (known[index]) before.push({ ...sample, number: numbers[index] });
    if (sample === known[index]) continue;
    space.put(sampleKey(dataset.number, name), { ...sample, number: numbers[index] });
    described = true;
  }
  const places = [...alleles.keys()];
  for (let i = 0; i < places.length; i += 1000) {
    const keys = places.slice(i, i + 1000).map((place) => alleleKey(dataset.number, place));
    const there = await space.getMany(keys);
    for (const [j, key] of keys.entries()) {
      const { allele, copies, stated } = alleles.get(places[i + j]);
      const stored = there[j] ?? { allele, portions: [] };
      const carrying = new Set(stored.portions.flatMap(({ carriers }) => carriers.map(([sample]) => sample)));
      const carriers = [...copies].flatMap(([index, count]) =>
        carrying.has(numbers[index]) ? [] : [[numbers[index], count]],
      );
      if (carriers.length === 0) continue;
      space.put(key, { ...stored, portions: [...stored.portions, { ...stated, carriers }] });
      change.calls += callsOf(carriers);
      if (there[j]) continue;
      for (const entry of entriesOf(dataset.number, allele)) space.put(entry, key);
      change.alleles += 1;
    }
  }
  const isLater = await addUncalled(space, dataset, [...alleles.values()], numbers);
  if (isLater) described = true;
  if (change.calls > 0 || isLater) {
    for (const sample of before) space.put(sampleKey(dataset.number, sample.name), withLater(sample, kinds));
  }
  note(space, dataset, change, 1, now, described);
  return change;
}

/** Returns whether any of it is new. */
async function addUncalled(space, { number }, alleles, numbers) {
  let isNew = false;
  for (const { allele, uncalled } of alleles) {
    if (uncalled.size === 0) continue;
    const keys = uncalledKeys(number, allele);
    const known = (await space.get(keys[0]))?.samples ?? [];
    const samples = new Set([...known, ...[...uncalled].map((index) => numbers[index])]);
    if (samples.size === known.length) continue;
    isNew = true;
    for (const key of keys) space.put(key, { allele, samples: [...samples] });
  }
  return isNew;
}

/** Removes samples, and the alleles that no other sample carries. */
export async function takeOut(space, id, names, now) {
  const dataset = await existing(space, id);
  const change = { alleles: 0, calls: 0, samples: 0 };
  const keys = [...new Set(names)].map((name) => sampleKey(dataset.number, name));
  const gone = new Set();
  for (const [i, sample] of (await space.getMany(keys)).entries()) {
    if (sample === undefined) continue;
    gone.add(sample.number);
    space.remove(keys[i]);
  }
  if (gone.size === 0) return change;
  change.samples = gone.size;
  for await (const [key, { allele, portions }] of space.range(under('alleles', dataset.number))) {
    const kept = [];
    let calls = 0;
    for (const portion of portions) {
      const carriers = portion.carriers.filter(([sample]) => !gone.has(sample));
      calls += callsOf(portion.carriers) - callsOf(carriers);
      if (carriers.length > 0) kept.push({ ...portion, carriers });
    }
    if (calls === 0) continue;
    change.calls += calls;
    if (kept.length > 0) {
      space.put(key, { allele, portions: kept });
      continue;
    }
    space.remove(key);
    for (const entry of entriesOf(dataset.number, allele)) space.remove(entry);
    change.alleles += 1;
  }
  for await (const [key, { allele, samples }] of space.range(under('uncalled', dataset.number))) {
    const kept = samples.filter((sample) => !gone.has(sample));
    if (kept.length > 0) space.put(key, { allele, samples: kept });
    else space.remove(key);
  }
  note(space, dataset, change, -1, now);
  return change;
}

export function callsOf(carriers) {
  return carriers.reduce((sum, [, copies]) => sum + copies, 0);
}

/** Records a change in the dataset's totals, or of what is known of its samples, if there is one. */
function note(space, dataset, change, sign, now, described = false) {
  if (change.calls === 0 && change.samples === 0 && !described) return;
  const totals = { ...dataset.totals };
  for (const [name, difference] of Object.entries(change)) totals[name] += sign * difference;
  space.put(datasetKey(dataset.description.id), { ...dataset, totals, updated: now });
}
