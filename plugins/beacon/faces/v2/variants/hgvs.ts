/** The genomic HGVS description of an allele, where the record alone decides it. */
import { accessionOf } from '../../../../../core/genome.js';
import type { Allele, Assembly } from '../../../contract.js';

const complements: Readonly<Record<string, string>> = { A: 'T', C: 'G', G: 'C', T: 'A' };

/**
 * Of substitutions, and of as many bases in the place of others. Undefined for insertions and deletions, which HGVS places as far to
 * the right as the reference sequence allows, and for inversions, which it describes in other words.
 */
export function genomicHgvs(
  assembly: Assembly,
  { contig, start, end, reference, alternate, structural }: Allele,
): string | undefined {
  if (structural || reference.length !== alternate.length || !/^[ACGT]+$/.test(reference + alternate)) return undefined;
  const place = `${accessionOf(assembly, contig)}:${contig === 'MT' ? 'm' : 'g'}.${start + 1}`;
  if (reference.length === 1) return `${place}${reference}>${alternate}`;
  const inverted = [...reference].reverse().map((base) => complements[base]).join(''); // biome-ignore format: one
  return inverted === alternate ? undefined : `${place}_${end}delins${alternate}`;
}
