/** Values of the ALT column that are not bases (VCF 4.3 §1.6.1 and §5). */

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

/** What determines the end of a structural allele. */
export interface Extent {
  kind: string;
  start: number;
  reference: string;
  /** True for `<DEL>` and the like: REF is one base of what may be many. */
  symbolic: boolean;
  end: number | undefined;
  length: number | undefined;
}

/**
 * One past the last base of a symbolic allele, or of a record with SVTYPE; a reason if nothing determines it. It is END, or
 * without one (an END before the record counts as none) follows from SVLEN, or from REF if the sequence is written out.
 * Insertions replace no reference base beyond that of REF.
 */
export function endOfStructural({ kind, start, reference, symbolic, end, length }: Extent): number | string {
  if (end !== undefined && end > start) return end;
  if (kind.startsWith('INS') || kind === 'BND') return start + reference.length;
  if (length !== undefined && length > 0) return start + 1 + length;
  return symbolic ? 'neither END nor SVLEN gives the end of the allele' : start + reference.length;
}
