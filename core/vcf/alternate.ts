/** Values of the ALT column that are not bases, and where they end (VCF 4.3 §1.6.1 and §5, 4.5 §3). */

import type { Contig } from '../genome/reference.js';
import type { StructuralInfo } from './info.js';
import { isWithin } from './types.js';

const placeholders = new Set(['<*>', '<NON_REF>', '<X>', '<UNSPECIFIED>']);

/** True for values of ALT that are not alleles. */
export function isPlaceholder(alternate: string): boolean {
  if (alternate.length === 1) return alternate === '.' || alternate === '*';
  return alternate.startsWith('<') && placeholders.has(alternate.toUpperCase());
}

/** True if an alternate is written as a breakend, well-formed or not. */
export function isBreakend(alternate: string): boolean {
  return alternate.includes('[') || alternate.includes(']') || (alternate.length > 1 && alternate.includes('.'));
}

/** The word in a symbolic alternate (`DUP:TANDEM` of `<DUP:TANDEM>`), upper case; undefined for anything else. */
export function symbol(alternate: string): string | undefined {
  return alternate.length > 2 && alternate.startsWith('<') && alternate.endsWith('>')
    ? alternate.slice(1, -1).toUpperCase()
    : undefined;
}

/** The length that INFO states for one of `count` alternates, 1 or more; undefined if it states none that is its own. */
export function statedLength(
  { svlen, inserted }: Pick<StructuralInfo, 'svlen' | 'inserted'>,
  kind: string,
  index: number,
  count: number,
): number | undefined {
  const own = svlen.length === count ? svlen[index] : svlen.length === 1 ? svlen[0] : undefined;
  const length = own ?? (isWithin(kind, 'INS') && count === 1 ? inserted : undefined);
  return length !== undefined && length > 0 ? length : undefined;
}

/** What determines the end of a structural allele. */
export interface Extent {
  kind: string;
  /** Zero-based; -1 at the telomere before the first base. */
  start: number;
  reference: string;
  /** True for `<DEL>` and the like: REF is one base of what may be many. */
  symbolic: boolean;
  end: number | undefined;
  /** As `statedLength` returns it. */
  length: number | undefined;
  /**
   * True if END is not the allele's own: from VCF 4.4 on it is the farthest end of the record, and before, a record whose
   * alternates each have a length has one END for all of them.
   */
  isEndShared: boolean;
}

/**
 * One past the last base of a symbolic allele, or of a record with SVTYPE; a reason if nothing determines it. It is END, or
 * without one (an END before the record counts as none, and so does END = POS beside a length of several bases) follows from
 * SVLEN, or from REF if the sequence is written out. If END is shared, SVLEN is first. Insertions replace no reference base
 * beyond that of REF.
 */
export function endOfStructural(extent: Extent): number | string {
  const { kind, start, reference, symbolic, end, length = 0, isEndShared } = extent;
  const isPoint = isWithin(kind, 'INS') || kind === 'BND';
  const byLength = !isPoint && length > 0 ? start + 1 + length : undefined;
  if (isEndShared && symbolic && byLength !== undefined) return byLength;
  if (end !== undefined && end > start && !(isEndShared && (isPoint || !symbolic))) {
    const isBlank = end === start + 1 && symbolic && length > 1;
    return (isBlank ? byLength : undefined) ?? end;
  }
  if (isPoint) return start + reference.length;
  return byLength ?? (symbolic ? 'neither END nor SVLEN gives the end of the allele' : start + reference.length);
}

/** The other end of a junction. */
export interface OtherEnd {
  contig: Contig;
  /** One-based; 0 and one past the last base are telomeres. */
  position: number;
}

/**
 * The other end of a symbolic alternate that joins two places (`<BND>`, `<TRA>`, `<CTX>`, `<ITX>`), at one-based `position`: on the
 * chromosome CHR2 (without it on the same) at POS2, END2 or CHR2_POS, or, as older callers have it, at END. 'unknown' if INFO
 * does not say, or it is on no chromosome; an END next to POS is the end of the record, as VCF defines it. Undefined for
 * what is no junction: CHR2 is then the source of a copy, except that callers which merge files write it of any type whose END
 * is on another chromosome.
 */
export function otherEnd(
  { chr2, pos2, end }: Pick<StructuralInfo, 'chr2' | 'pos2' | 'end'>,
  {
    kind,
    contig,
    position,
    length = 0,
  }: { kind: string; contig: Contig; position: number; length?: number | undefined },
  contigNamed: (name: string) => Contig | undefined,
): OtherEnd | 'unknown' | undefined {
  const other = chr2 === undefined ? contig : contigNamed(chr2);
  const isJunction = isWithin(kind, 'BND');
  if (!isJunction && (pos2 !== undefined || isWithin(kind, 'INS'))) return undefined;
  if (!isJunction && (other === undefined || other === contig || end === position + length)) return undefined;
  const at = pos2 ?? (end === position || end === position + 1 ? undefined : end);
  if (other !== undefined && at !== undefined && at >= 0) return { contig: other, position: at };
  return isJunction ? 'unknown' : undefined;
}
