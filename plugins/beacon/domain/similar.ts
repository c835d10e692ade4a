/**
 * Which structural alleles count as the one of a question, and which are near it. The rule depends on the question alone, so
 * that counts do not depend on the order of loads.
 */
import { isWithin } from '../../../core/vcf.js';
import { type Allele, type Assembly, byAllele, type Contig } from './allele.js';
import { type AlleleQuery, kindsOf } from './allele-query.js';

/** The requested structural variant. */
export interface StructuralQuestion {
  type: 'structural';
  contig: Contig;
  /** Zero-based position of the first end. */
  start: number;
  /** One past the last base; for a breakend the zero-based position of its mate; of an insertion it does not matter. */
  end: number;
  /** As `typeNamed` names it; it covers its subtypes: DUP those of DUP:TANDEM, CNV those of DUP and DEL. */
  kind: string;
  /** The contig of the other end; breakends and translocations only. */
  mate?: Contig;
  /** Bases inserted, if known. */
  length?: number;
}

/** The largest window of datasets that set none, in bases. */
export const defaultWindow = 2000;

/**
 * How far each end may lie from that of the question, in bases: for a length L half of it below 1,000 bases, a fifth below
 * 10,000, else a tenth, rounded to hundreds (halves to even) and at most `most`. So up to a length of 100 ends are exact.
 * The length is END − POS, without the base before the variant at which its record stands. Breakends have no length: twice
 * `most`. The widths are those of loqusdb.
 */
export function windowOf(
  question: Pick<StructuralQuestion, 'start' | 'end' | 'kind' | 'mate' | 'length'>,
  most: number,
) {
  if (question.mate !== undefined || isJunction(question.kind)) return 2 * most;
  const length = question.length ?? (isInsertion(question.kind) ? 0 : question.end - question.start - 1);
  const divisor = length < 1000 ? 2 : length < 10_000 ? 5 : 10;
  return Math.min(halfToEven(length / divisor / 100) * 100, most);
}

/**
 * Whether an allele counts as the requested structural variant: a structural allele of its kind with both ends within
 * the window; an insertion with its place, and if both are known its length, within the window; a breakend from either side,
 * whatever its orientation.
 */
export function isSimilar(allele: Allele, question: StructuralQuestion, most: number): boolean {
  if (!allele.structural || (allele.mate === undefined) !== (question.mate === undefined)) return false;
  if (!isOfQuestionKind(allele.kind, question)) return false;
  const window = windowOf(question, most);
  const near = (one: number, other: number) => Math.abs(one - other) <= window;
  if (question.mate !== undefined) {
    const asWritten =
      allele.contig === question.contig &&
      allele.mate === question.mate &&
      near(allele.start, question.start) &&
      near(allele.end, question.end);
    const fromMate =
      allele.contig === question.mate &&
      allele.mate === question.contig &&
      near(allele.start, question.end) &&
      near(allele.end, question.start);
    return asWritten || fromMate;
  }
  if (allele.contig !== question.contig || !near(allele.start, question.start)) return false;
  if (!isInsertion(question.kind)) return near(allele.end, question.end);
  const length = insertedBases(allele);
  return length === undefined || question.length === undefined || near(length, question.length);
}

/** The length of an insertion: as its record states it, or as its bases show; undefined if neither does. */
export function insertedBases({ length, reference, alternate }: Allele): number | undefined {
  return length ?? (/^[ACGTN]+$/.test(alternate) ? alternate.length - reference.length : undefined);
}

export function isInsertion(kind: string): boolean {
  return isWithin(kind, 'INS');
}

/** Whether a type is a tandem repeat with a number of units: its start and end are those of the reference, not its own length. */
export function isRepeat(kind: string): boolean {
  return isWithin(kind, 'STR');
}

/** Whether a type joins two places: breakends, and translocations, which are breakends by another name. */
export function isJunction(kind: string): boolean {
  return isWithin(kind, 'BND');
}

/** Translocations and breakends are two words for a junction of two chromosomes. */
function isOfQuestionKind(kind: string, question: StructuralQuestion): boolean {
  return question.mate !== undefined || isWithin(kind, question.kind);
}

function halfToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest === 0.5) return floor % 2 === 0 ? floor : floor + 1;
  return Math.round(value);
}

// The structural alleles around one with two ends on a chromosome, whether or not they count as the same.

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
