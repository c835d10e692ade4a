/** The structural alleles around one with two ends on a chromosome, whether or not they count as the same. */
import { type Allele, type Assembly, byAllele } from './allele.js';
import type { AlleleQuery } from './allele-query.js';
import type { StructuralQuestion } from './similar.js';
import { kindsOf } from './variant-types.js';

/** How far to look around a structural variant. */
export interface Around {
  /** Bases that each end may be away. */
  reach: number;
  /** Largest number of alleles. */
  limit: number;
}

/** The query that finds the structural alleles of the question's kind within reach. */
export function queryAround(assembly: Assembly, question: StructuralQuestion, reach: number): AlleleQuery {
  const { contig, start, end, kind } = question;
  const around = (position: number) => ({ min: Math.max(position - reach, 0), max: position + reach });
  return {
    assembly,
    contig,
    kinds: kindsOf(kind).map((filter) => ({ ...filter, structural: true })),
    start: around(start),
    end: around(end),
  };
}

/** The alleles without a mate, those with the nearest ends first, else as `byAllele`; no more than `limit`. */
export function nearest<Found extends Allele>(
  alleles: readonly Found[],
  question: StructuralQuestion,
  limit: number,
): Found[] {
  return alleles
    .filter(({ mate }) => mate === undefined)
    .sort((one, other) => distance(one, question) - distance(other, question) || byAllele(one, other))
    .slice(0, limit);
}

function distance({ start, end }: Allele, question: StructuralQuestion): number {
  return Math.abs(start - question.start) + Math.abs(end - question.end);
}
