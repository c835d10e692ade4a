/**
 * Alleles: their fields, order and keys, and the bounds of stored positions and copies. Coordinates are zero-based half-open,
 * in bases, throughout.
 */
import { type Assembly, assemblies, type Contig, contigs } from '../../../core/genome.js';
import { Fault } from '../../../core/storage.js';
import { isWithin } from '../../../core/vcf.js';

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
  /**
   * Upper-case bases, or as the VCF writes it: a symbolic allele (`<DEL>`) or a breakend (`G]17:198982]`). A symbolic insertion
   * may have its length in it (`<INS,300>`): see `InsertionLengths`.
   */
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
   * start and end show them; of a repeat the bases of all its units (`repeatLength`).
   */
  length?: number;
}

/** How often a sample carries an allele: [index into the samples of the import, alternate alleles called (1 or more)]. */
export type Carrier = readonly [sample: number, copies: number];

/** The allele fraction of a call: [index into the samples of the import, whole percent, rounded down]. */
export type CarrierFraction = readonly [sample: number, percent: number];

/** An allele with its carriers. */
export interface CalledAllele extends Allele {
  carriers: readonly Carrier[];
  /**
   * Other samples of the import, of which a record of the allele does not say whether they carry it: their genotype was not
   * called. An allele with such samples alone is not one of the dataset. What is stated of the allele does not matter for them.
   */
  uncalled?: readonly number[];
  /** Allele fractions of carriers, as far as they are known and kept; what is said of other samples does not matter. */
  fractions?: readonly CarrierFraction[];
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
    compareText(left.reference, right.reference) ||
    compareText(left.alternate, right.alternate) ||
    compareText(left.mate ?? '', right.mate ?? '')
  );
}

function compareText(left: string, right: string): number {
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

/** A record without its ranges and length if the allele has no carriers: what an import states is of carriers. */
export function statedOfCarriers(record: CalledAllele): CalledAllele {
  if (record.carriers.length > 0) return record;
  const { startRange: _, endRange: __, length: ___, ...rest } = record;
  return rest;
}

/** What the alleles say of the samples that have a new index in `moved`, by their old one. */
export function ofSamples(batch: readonly CalledAllele[], moved: readonly (number | undefined)[]): CalledAllele[] {
  return batch.flatMap((allele) => {
    const placed = (values: readonly (readonly [sample: number, value: number])[]) =>
      values.flatMap(([sample, value]) => {
        const place = moved[sample];
        return place === undefined ? [] : [[place, value] as const];
      });
    const carriers = placed(allele.carriers);
    const uncalled = (allele.uncalled ?? []).flatMap((sample) => moved[sample] ?? []);
    if (carriers.length + uncalled.length === 0) return [];
    const fractions = allele.fractions && { fractions: placed(allele.fractions) };
    return [{ ...allele, carriers, ...(allele.uncalled && { uncalled }), ...fractions }];
  });
}

/** The alternate as a VCF writes it. */
export function writtenAlternate({ alternate }: Pick<Allele, 'alternate'>): string {
  return alternate.replace(/,\d+>$/, '>');
}

/** The length of an insertion without its bases, 0 if unknown; undefined for any other allele. */
export function lengthOfInsertion({ alternate, kind, length }: Allele): number | undefined {
  return alternate.startsWith('<') && isWithin(kind, 'INS') ? (length ?? 0) : undefined;
}

/** Places of insertions that are remembered: many times those that one file has in a few batches. */
const mostInsertions = 100_000;

/**
 * Distinguishes insertions that a file has at one place without their bases. They differ by SVLEN alone, which is not part of
 * the identity of an allele. The one of unknown length, else the longest, keeps its alternate, as if it were alone; the others
 * get their length into it. Those of a place have to come in one batch; if they do not, the first that came keeps its alternate.
 */
export class InsertionLengths {
  readonly #kept = new Map<string, number>();

  /** Changes the batch. */
  tellApart(batch: Allele[]): void {
    const places = new Map<string, number[]>();
    for (let i = 0; i < batch.length; i++) {
      const allele = batch[i];
      if (!allele || lengthOfInsertion(allele) === undefined) continue;
      const key = alleleKey(allele);
      const known = places.get(key);
      if (known) known.push(i);
      else places.set(key, [i]);
    }
    if (this.#kept.size > mostInsertions) this.#kept.clear();
    for (const [key, insertions] of places) {
      const lengths = insertions.map((i) => batch[i]?.length ?? 0);
      const kept = this.#kept.get(key) ?? (lengths.includes(0) ? 0 : Math.max(...lengths));
      this.#kept.set(key, kept);
      for (const i of insertions) {
        const allele = batch[i];
        if (!allele?.length || allele.length === kept) continue;
        batch[i] = { ...allele, alternate: `${allele.alternate.slice(0, -1)},${allele.length}>` };
      }
    }
  }
}

/**
 * Identity of an allele within an assembly: contig, start, end, mate, reference and alternate. Two breakends that differ
 * by the contig of their mate alone are two alleles. Kind is left out, since it follows from the rest; so are ranges and the
 * length of an insertion, which may differ between the records of one allele (`InsertionLengths`).
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

// The bounds of stored positions and copies, the same on every engine.

/** The largest position, and the most copies of an allele in one import: 2³¹ − 1. */
export const farthest = 2 ** 31 - 1;

/**
 * The copies of all carriers together. Throws an `invalid` fault unless the allele's start, end, ranges and length are whole
 * numbers from 0 to `farthest`, the copies of each carrier whole numbers from 1, and all together at most `farthest`.
 */
export function callsWithinBounds(allele: Allele, carriers: Iterable<Carrier>): number {
  const { contig, start, end, startRange, endRange, length = 0 } = allele;
  if (![start, end, length].every(isPosition) || !isRange(startRange) || !isRange(endRange)) {
    throw new Fault(
      'invalid',
      `An allele of chromosome ${contig} has a position or length that is not a whole number from 0 to ${farthest}`,
    );
  }
  let calls = 0;
  for (const [, copies] of carriers) calls += Number.isInteger(copies) && copies > 0 ? copies : Number.NaN;
  if (calls <= farthest) return calls;
  throw new Fault(
    'invalid',
    `An allele of chromosome ${contig} has copies that are not whole numbers from 1, or more than ${farthest} in all`,
  );
}

function isRange(range: Bounds | undefined): boolean {
  return range === undefined || (isPosition(range.min) && isPosition(range.max));
}

function isPosition(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= farthest;
}
