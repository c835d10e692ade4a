/** How a carrier has an allele. */
import type { Allele, Assembly } from '../contract.js';
import { isSexSpecific, ploidyAt, type Sex } from '../contract.js';

export const zygosities = ['heterozygous', 'homozygous', 'hemizygous'] as const;
export type Zygosity = (typeof zygosities)[number];

/**
 * Follows from the copies that were called, the sex and the place, as in counts of observations (`ObservedCounts`). Undefined
 * if it does not: of mitochondrial alleles, and of one copy on X or Y if the sex is unknown.
 */
export function zygosityOf(
  { contig, start }: Pick<Allele, 'contig' | 'start'>,
  { assembly, sex, copies }: { assembly: Assembly; sex: Sex; copies: number },
): Zygosity | undefined {
  const sexSpecific = isSexSpecific(assembly, contig, start);
  if (sexSpecific && sex === 'male') return 'hemizygous';
  if (ploidyAt(assembly, contig, start, sex) !== 2) return undefined;
  if (copies >= 2) return 'homozygous';
  return sexSpecific && sex === 'unknown' ? undefined : 'heterozygous';
}
