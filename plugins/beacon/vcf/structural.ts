/** Structural alleles from INFO, symbolic alternates and breakend notation (VCF 4.3 §1.6 and §5, 4.4 §3). */
import { type Header, referenceBases, type StructuralInfo } from '../../../core/vcf.js';
import type { Allele, Bounds, Contig } from '../domain/allele.js';
import { farthest } from '../domain/bounds.js';

/** An alternate's allele with the ranges that CIPOS and CIEND leave it; `count` is that of the record's alternates. */
export function ranged(allele: Allele, { cipos, ciend }: StructuralInfo, index: number, count: number): Allele {
  if (cipos.length === 0 && ciend.length === 0) return allele;
  const startRange = around(allele.start, cipos, index, count);
  const endRange = around(allele.end, ciend, index, count);
  return { ...allele, ...(startRange && { startRange }), ...(endRange && { endRange }) };
}

function around(position: number, offsets: readonly number[], index: number, count: number): Bounds | undefined {
  const [below, above] = offsets.length === 2 * count ? offsets.slice(2 * index, 2 * index + 2) : offsets;
  if (
    below === undefined ||
    above === undefined ||
    Number.isNaN(below + above) ||
    (offsets.length !== 2 && offsets.length !== 2 * count)
  ) {
    return undefined;
  }
  // The position itself is always possible, also if a caller swaps the two values.
  const within = (value: number) => Math.min(Math.max(value, 0), farthest);
  return { min: within(position + Math.min(below, above, 0)), max: within(position + Math.max(below, above, 0)) };
}

export interface Breakend {
  alternate: string;
  /** The mate's contig, if it is one of `contigs`, and its one-based position. */
  mate?: { contig: Contig; position: number };
}

const bracketed = /^([A-Za-z]*|\.)([[\]])(.+):(\d+)([[\]])([A-Za-z]*|\.)$/;
const single = /^(\.[A-Za-z]+|[A-Za-z]+\.)$/;

/**
 * Reads a breakend (`G]17:198982]`, `]13:123456]T`, `G.`, `.G`); undefined if malformed. Chromosome names and bases
 * are normalised. A mate on any other contig than `contigs` gives a breakend without a mate. Only at a telomere, which has no
 * base, a dot is written for it (`.[13:123457[`, VCF 4.3 §5.4.5).
 */
export function breakend(alternate: string, file: Pick<Header, 'contig'>, isTelomere: boolean): Breakend | undefined {
  if (single.test(alternate)) return { alternate: alternate.toUpperCase() };
  const [, before = '', bracket, name = '', digits, closing, after = ''] = bracketed.exec(alternate) ?? [];
  if (!bracket || bracket !== closing || (before === '') === (after === '')) return undefined;
  const own = before || after;
  // The base of REF is among them.
  const read = own === '.' && isTelomere ? own : referenceBases(own);
  if (!read) return undefined;
  const contig = file.contig(name);
  const there = `${bracket}${contig ?? name}:${digits}${bracket}`;
  const written = before ? `${read}${there}` : `${there}${read}`;
  return contig ? { alternate: written, mate: { contig, position: Number(digits) } } : { alternate: written };
}

const knownSymbol = /^(DEL|INS|DUP|INV|CNV)(:|$)/;

/** The kind of a breakend: SVTYPE (BND, TRA), unless that describes another alternate of the record (DEL). */
export function kindOfBreakend(svtype: string | undefined, several: boolean): string {
  return svtype === undefined || (several && knownSymbol.test(svtype)) ? 'BND' : svtype;
}

/**
 * Returns whether SVTYPE describes an alternate of plain bases: not if a symbol or a breakend is beside it, nor if it is one
 * of several and its own length contradicts the type.
 */
export function isTypeOfSequence(
  svtype: string | undefined,
  reference: string,
  alternate: string,
  beside: { several: boolean; symbolic: boolean },
): boolean {
  if (svtype === undefined || beside.symbolic) return false;
  if (!beside.several) return true;
  const longer = alternate.length - reference.length;
  if (/^DEL(:|$)/.test(svtype)) return longer < 0;
  return /^(INS|DUP)(:|$)/.test(svtype) ? longer > 0 : true;
}
