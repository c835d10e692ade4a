/** Which alleles that a sample carries lie on one copy of the chromosome, as far as its files say so. */
import type { CarriedAnswer, CarriedVariant } from '../../services/beacon.js';
import { type Dataset, type DepthRepository, longestDecomposed, pairNumber } from '../contract.js';
import type { DatasetPeople } from './people.js';

/** Of neighbouring substitutions that one sample carries both of; `alleles` are in genome order. */
export async function phasesOf(
  depths: Pick<DepthRepository, 'findPhases'>,
  datasets: readonly Dataset[],
  people: DatasetPeople,
  alleles: readonly CarriedVariant[],
): Promise<CarriedAnswer['phases']> {
  const pairs = new Map<number, { one: number; other: number }>();
  const carriers = new Set<number>();
  for (const [one, allele] of alleles.entries()) {
    for (let other = one + 1; other < alleles.length; other++) {
      const next = alleles[other] as CarriedVariant;
      const isNear = next.chromosome === allele.chromosome && next.start - allele.start < longestDecomposed;
      if (!isNear) break;
      const both = sharedBy(allele, next);
      const pair = isSubstitution(allele) && isSubstitution(next) && pairNumber(allele.chromosome, allele, next);
      if (typeof pair !== 'number' || both.length === 0) continue;
      pairs.set(pair, { one, other });
      for (const sample of both) carriers.add(sample);
    }
  }
  const found = new Map<string, CarriedAnswer['phases'][number]>();
  for (const { id } of pairs.size === 0 ? [] : datasets) {
    const names = people.namesIn(id, carriers);
    for (const [name, own] of await depths.findPhases(id, [...pairs.keys()], [...names.keys()])) {
      for (const [pair, phase] of own) {
        const places = pairs.get(pair);
        const sample = names.get(name);
        if (places === undefined || sample === undefined || phase === 'unclear') continue;
        found.set(`${sample} ${pair}`, { sample, ...places, phase });
      }
    }
  }
  return [...found.values()];
}

function sharedBy(one: CarriedVariant, other: CarriedVariant): number[] {
  const own = new Set(one.carriers.map(({ sample }) => sample));
  return other.carriers.map(({ sample }) => sample).filter((sample) => own.has(sample));
}

function isSubstitution({ reference, alternate, structural }: CarriedVariant): boolean {
  return structural === undefined && reference.length === 1 && alternate.length === 1;
}
