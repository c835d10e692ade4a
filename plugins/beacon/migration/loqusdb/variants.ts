/** Variants of loqusdb, which names the last 50 cases of each and not their individuals. */

import { contigNamed, lengthOf } from '../../../../core/genome.js';
import type { MongoDocument } from '../../../../core/migration.js';
import { bases, referenceBases } from '../../../../core/vcf.js';
import type { Allele, Assembly } from '../../domain/allele.js';
import { canonical, kindOfSequence } from '../../domain/canonical.js';

export interface StoredVariant {
  allele: Allele;
  /** The cases that are named; fewer than observations if there are more than 50. */
  families: string[];
  observations: number;
  /** Copies in each case, as far as known: 2 if all cases have a homozygous individual. */
  copies: 1 | 2;
  /** Whether some of the cases, but not all, have a homozygous individual. */
  mixed: boolean;
}

/** Returns the variant, or why it cannot be carried over: a sentence without its subject. */
export function readSmall(document: MongoDocument, assembly: Assembly): StoredVariant | string {
  const { chrom, start, ref, alt, homozygote } = document;
  const contig = typeof chrom === 'string' ? contigNamed(chrom) : undefined;
  if (!contig) return 'is on none of the chromosomes 1 to 22, X, Y and MT';
  if (!isPosition(start) || start > lengthOf(assembly, contig))
    return `has a start that is not on its chromosome in ${assembly}`;
  const reference = typeof ref === 'string' ? referenceBases(ref) : undefined;
  const alternate = typeof alt === 'string' ? bases(alt) : undefined;
  if (!reference || !alternate) return 'has ref or alt that are not bases';
  if (reference === alternate) return 'has alt equal to its ref';
  const counted = countedIn(document);
  if (typeof counted === 'string') return counted;
  const twice = typeof homozygote === 'number' ? homozygote : 0;
  const kind = kindOfSequence(reference, alternate);
  const place = { contig, start: start - 1, end: start - 1 + reference.length };
  return {
    allele: canonical({ ...place, reference, alternate, kind, structural: false }),
    ...counted,
    copies: twice >= counted.observations ? 2 : 1,
    mixed: twice > 0 && twice < counted.observations,
  };
}

/** The variant at the centre of its cluster. */
export function readStructural(document: MongoDocument, assembly: Assembly): StoredVariant | string {
  const { chrom, end_chrom, sv_type } = document;
  const contig = typeof chrom === 'string' ? contigNamed(chrom) : undefined;
  const endContig = typeof end_chrom === 'string' ? contigNamed(end_chrom) : undefined;
  if (!contig || !endContig) return 'is on none of the chromosomes 1 to 22, X, Y and MT';
  const counted = countedIn(document);
  if (typeof counted === 'string') return counted;
  const pos = centre(document.pos_sum, counted.observations);
  const end = centre(document.end_sum, counted.observations);
  if (pos === undefined || end === undefined) return 'has pos_sum or end_sum that are not sums of positions';
  const isJunction = sv_type === 'BND' || endContig !== contig;
  if (pos > lengthOf(assembly, contig) || (isJunction && end > lengthOf(assembly, endContig))) {
    return `has a position that is not on its chromosome in ${assembly}`;
  }
  if (typeof sv_type !== 'string' || !/^[A-Za-z][A-Za-z0-9:_-]{0,63}$/.test(sv_type)) return 'has no sv_type';
  const kind = sv_type.toUpperCase();
  const here = { contig, start: pos - 1, reference: 'N', kind, structural: true };
  const known = { ...counted, copies: 1 as const, mixed: false };
  if (isJunction) {
    const alternate = `N]${endContig}:${end}]`;
    return { allele: { ...here, end: end - 1, mate: endContig, alternate }, ...known };
  }
  if (end < pos) return 'ends before it starts';
  const alternate = `<${kind}>`;
  if (!/^INS\b/.test(kind)) return { allele: { ...here, end, alternate }, ...known };
  // loqusdb adds the length of an insertion to its end.
  return { allele: { ...here, end: pos, alternate, ...(end > pos && { length: end - pos }) }, ...known };
}

function countedIn({ observations, families }: MongoDocument): { observations: number; families: string[] } | string {
  if (!isPosition(observations)) return 'has observations that are not a number above 0';
  const named = Array.isArray(families) ? families.filter((family) => typeof family === 'string') : [];
  return { observations, families: [...new Set(named)] };
}

function centre(sum: unknown, observations: number): number | undefined {
  const mean = typeof sum === 'number' ? Math.round(sum / observations) : undefined;
  return isPosition(mean) ? mean : undefined;
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
