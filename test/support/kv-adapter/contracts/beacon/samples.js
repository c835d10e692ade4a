/** The samples of a dataset, with what is known of them. They have numbers, so that a carrier is two small numbers. */

import { afterImport, changedFacts, sameFacts, sameSearch, searchedWith, unknownFacts } from 'trefoil/beacon/contract';
import { keyOf, under } from '../../keys.js';

export const sampleKey = (dataset, name) => keyOf('sample', dataset, name);

/** In the order of their names. */
export async function samplesOf(space, { number }) {
  const samples = [];
  for await (const [, sample] of space.range(under('sample', number))) samples.push(sample);
  return samples;
}

/** A sample, or a new one, with what an import says of it; the same object if that is nothing new. */
export function withSaid(known, { name, now, facts = {}, searched }) {
  const before = known ?? { ...unknownFacts(name), name, added: now, searched: { small: false, structural: false } };
  const { unsearched: _, ...said } = changedFacts(before, facts);
  const sample = { ...said, ...searchedWith(before, searched) };
  return known && sameFacts(known, sample) && sameSearch(known, sample) ? known : sample;
}

/** Those that an import named and that were there before: it added calls. */
export function withLater(sample, searched) {
  return { ...sample, ...afterImport(sample, searched) };
}
