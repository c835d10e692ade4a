/** Alleles as some of their carriers have them. */
import type { Assembly, DatasetAlleles, FoundAllele, Sample } from '../contract.js';
import { type Zygosity, zygosityOf } from './zygosity.js';

export interface Counted {
  samples: readonly Sample[];
  assembly: Assembly;
  /** Only carriers who have the allele so; in any way if undefined. */
  zygosity?: ReadonlySet<Zygosity> | undefined;
}

/**
 * The alleles that any of the samples carries, with the calls and carriers of these samples alone. The alleles must have been
 * found with their carriers named.
 */
export function carriedBy(
  { alleles }: Pick<DatasetAlleles, 'alleles'>,
  { samples, assembly, zygosity }: Counted,
): FoundAllele[] {
  const counted = new Map(samples.map((sample) => [sample.name, sample]));
  return alleles.flatMap((allele) => {
    if (allele.named === undefined) throw new RangeError('Carriers must be named');
    const named = allele.named.filter(([name, copies]) => {
      const sample = counted.get(name);
      if (!sample) return false;
      const how = zygosity && zygosityOf(allele, { assembly, sex: sample.sex, copies });
      return zygosity === undefined || (how !== undefined && zygosity.has(how));
    });
    if (named.length === 0) return [];
    return [{ ...allele, named, samples: named.length, calls: named.reduce((sum, [, copies]) => sum + copies, 0) }];
  });
}
