/** The alleles of stored datasets that a query finds. */
import {
  type Allele,
  type AlleleQuery,
  Allowance,
  byAllele,
  type CountedAllele,
  type DatasetAlleles,
  type FoundAllele,
  type FoundOptions,
  matches,
  type NamedCarrier,
  widened,
} from '../../plugins/beacon/contract.js';
import { type Held, type StoredDataset, statedBy } from './beacon-observed.js';

/** With the widest ranges that its carriers' imports gave. */
export function wholeAllele({ allele, carriers }: Held): Allele {
  return [...carriers.values()].reduce((whole, ranges) => widened(whole, ranges), allele);
}

/** Without what imports stated of it. */
export function counted({ allele, carriers }: Held): CountedAllele {
  return { ...structuredClone(allele), calls: [...carriers.values()].reduce((sum, { copies }) => sum + copies, 0) };
}

/** With its calls and the widest ranges. */
export function withCalls(held: Held): CountedAllele {
  return { ...counted(held), ...structuredClone(wholeAllele(held)) };
}

/** With the carriers of whom the allele matches, with what their imports stated of it. */
function matching({ allele, carriers }: Held, query: AlleleQuery): Held {
  return {
    allele,
    carriers: new Map([...carriers].filter(([, carried]) => matches(statedBy(allele, carried), query))),
  };
}

export function matchingCarriers(held: Held, query: AlleleQuery): NamedCarrier[] {
  return [...matching(held, query).carriers].map(([sample, { copies }]) => [sample, copies]);
}

export function foundAlleles(
  datasets: readonly [id: string, stored: StoredDataset][],
  query: AlleleQuery,
  { limit, carriers: named = false }: FoundOptions,
): DatasetAlleles[] {
  const [alleleAllowance, carrierAllowance] = [new Allowance(limit, 'alleles'), new Allowance(limit)];
  return datasets.flatMap(([dataset, { alleles }]) => {
    const found: FoundAllele[] = [];
    for (const stored of alleles.values()) {
      const held = matching(stored, query);
      const samples = held.carriers.size;
      if (samples === 0) continue;
      alleleAllowance.take(held.allele, 1);
      if (named) carrierAllowance.take(held.allele, samples);
      found.push({ ...withCalls(held), samples, ...(named && { named: namedCarriers(held) }) });
    }
    return found.length > 0 ? [{ dataset, alleles: found.sort(byAllele) }] : [];
  });
}

/** By name. */
function namedCarriers({ carriers }: Held): NamedCarrier[] {
  return [...carriers.keys()].sort().map((name) => [name, carriers.get(name)?.copies ?? 0]);
}
