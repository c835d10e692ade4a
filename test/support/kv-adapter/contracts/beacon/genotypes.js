/** Who carries single-base alleles, for comparing samples. */

import { alleleAt, Genotypes, isSite, mostTelling, siteOf } from 'trefoil/beacon/contract';
import { under } from '../../keys.js';
import { callsOf } from './imports.js';
import { alleleKey, placeOf } from './places.js';

const callsIn = ({ portions }) => portions.reduce((sum, { carriers }) => sum + callsOf(carriers), 0);

export async function genotypes(space, { number }, samples, sites) {
  const stored = await space.getMany(sites.map((site) => alleleKey(number, placeOf(alleleAt(site)))));
  const order = new Map(samples.map((sample, i) => [sample.number, i]));
  const found = new Genotypes(samples.length, sites.length);
  for (const [place, allele] of stored.entries()) {
    for (const { carriers } of allele?.portions ?? []) {
      for (const [sample, copies] of carriers) found.set(order.get(sample), place, copies);
    }
  }
  return { samples: samples.map(({ number: _, ...sample }) => sample), genotypes: found };
}

export async function commonSites(space, { number, totals }, most) {
  const found = [];
  for await (const [, stored] of space.range(under('alleles', number))) if (isSite(stored.allele)) found.push(stored);
  return mostTelling(found.map(callsIn), totals.samples, most).map((place) => siteOf(found[place].allele));
}
