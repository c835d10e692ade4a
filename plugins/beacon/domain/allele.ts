/** The vocabulary of alleles. Coordinates are zero-based half-open, in bases, throughout. */

import { type Assembly, assemblies, type Contig, contigs } from '../../../core/genome.js';

export { type Assembly, assemblies, type Contig, contigs };

/** Inclusive on both sides; an exact position has min = max. */
export interface Bounds {
  min: number;
  max: number;
}

/**
 * An allele of one assembly, as stored: one alternate of one VCF record. Of a sequence-resolved one, `canonical` makes the
 * form in which it is loaded; a structural one stays as its record writes it.
 */
export interface Allele {
  contig: Contig;
  /** First base of the reference allele. */
  start: number;
  /**
   * One past the last base replaced. For a breakend the zero-based position of its mate, on the mate's contig; for a
   * single breakend (no mate) start + 1.
   */
  end: number;
  /** Upper case, `[ACGTN]+` (other IUPAC codes are reduced as VCF 4.3 says). */
  reference: string;
  /** Upper-case bases, or as the VCF writes it: a symbolic allele (`<DEL>`) or a breakend (`G]17:198982]`). */
  alternate: string;
  /** SNP, MNP, INS or DEL for a sequence-resolved allele; for a structural one the type as `kindOfStructural` names it (DUP:TANDEM, INV, BND…). */
  kind: string;
  /** True if the record has an SVTYPE for it, or the alternate is not plain sequence. */
  structural: boolean;
  /** The mate's contig; breakends only. */
  mate?: Contig;
  /** The possible starts, if the record leaves the exact one open (CIPOS). */
  startRange?: Bounds;
  /** The possible ends (CIEND), in the terms of `end`. */
  endRange?: Bounds;
  /**
   * The bases that a structural allele adds or changes, if its record states them (SVLEN) and neither its alternate nor its
   * start and end show them.
   */
  length?: number;
}

/** How often a sample carries an allele: [index into the samples of the import, alternate alleles called (1 or more)]. */
export type Carrier = readonly [sample: number, copies: number];

/** An allele with its carriers. */
export interface CalledAllele extends Allele {
  carriers: readonly Carrier[];
  /**
   * Other samples of the import, of which a record of the allele does not say whether they carry it: their genotype was not
   * called. An allele with such samples alone is not one of the dataset. What is stated of the allele does not matter for them.
   */
  uncalled?: readonly number[];
}

/** An allele with its alternate alleles called over all samples of a dataset. */
export interface CountedAllele extends Allele {
  calls: number;
}

/** Compares by chromosome, start, end, reference, alternate and mate, texts by code units: of two alleles one is first. */
export function byAllele(left: Allele, right: Allele): number {
  return (
    contigs.indexOf(left.contig) - contigs.indexOf(right.contig) ||
    left.start - right.start ||
    left.end - right.end ||
    compared(left.reference, right.reference) ||
    compared(left.alternate, right.alternate) ||
    compared(left.mate ?? '', right.mate ?? '')
  );
}

function compared(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** The smallest bounds that contain both; undefined if neither is given. */
export function spanning(one: Bounds | undefined, other: Bounds | undefined): Bounds | undefined {
  if (!one || !other) return one ?? other;
  return { min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) };
}

/** What a record states of an allele beside its identity. */
export type Statement = Pick<Allele, 'startRange' | 'endRange' | 'length'>;

/** The allele with its ranges widened by those of another record of the same allele, and the larger of their lengths. */
export function widened<Stated extends Allele>(allele: Stated, by: Statement): Stated {
  if (!by.startRange && !by.endRange && by.length === undefined) return allele;
  const startRange = spanning(allele.startRange, by.startRange);
  const endRange = spanning(allele.endRange, by.endRange);
  const length = by.length === undefined ? allele.length : Math.max(allele.length ?? 0, by.length);
  return {
    ...allele,
    ...(startRange && { startRange }),
    ...(endRange && { endRange }),
    ...(length !== undefined && { length }),
  };
}

/**
 * Identity of an allele within an assembly: contig, start, end, mate, reference and alternate. Two breakends that differ
 * by the contig of their mate alone are two alleles. Kind is left out, since it follows from the rest; so are ranges and the
 * length of an insertion, which may differ between the records of one allele.
 */
export function alleleKey(allele: Allele): string {
  return `${allele.contig}:${allele.start}:${allele.end}:${allele.mate ?? ''}:${allele.reference}>${allele.alternate}`;
}

/**
 * Identity of the junction of a breakend, the same from both of its ends: the two positions, each with the side of it that
 * is kept (VCF 4.3 §5.4), if brackets say so. A single breakend has only its own.
 */
export function adjacencyKey(breakend: Allele): string {
  const { contig, start, mate, end, alternate } = breakend;
  if (mate === undefined) return alleleKey(breakend);
  const bracket = alternate.search(/[[\]]/);
  const [keptHere, keptThere] =
    bracket < 0 ? ['', ''] : [bracket > 0 ? '-' : '+', alternate[bracket] === ']' ? '-' : '+'];
  const [here, there] = [`${contig}:${start}${keptHere}`, `${mate}:${end}${keptThere}`];
  return here < there ? `${here}~${there}` : `${there}~${here}`;
}
