/** Structural alleles from INFO, symbolic alternates and breakend notation (VCF 4.3 §1.6 and §5, 4.4 §3). */
import type { Allele, Bounds, Contig } from '../domain/allele.js';
import { farthest } from '../domain/bounds.js';
import { bases } from './sequence.js';

/** The fields of INFO that place and name a structural allele; undefined if absent or `.`. */
export interface StructuralInfo {
  svtype: string | undefined;
  end: number | undefined;
  /** One value an alternate, or one for all. */
  svlen: readonly number[];
  /** The chromosome of the other end, as older callers write it. */
  chr2: string | undefined;
  /** Confidence intervals around POS and END: one pair for all alternates, or one for each; else empty. */
  cipos: readonly number[];
  ciend: readonly number[];
}

/** Of a record whose INFO says none of it. */
export const noStructuralInfo: StructuralInfo = {
  svtype: undefined,
  end: undefined,
  svlen: [],
  chr2: undefined,
  cipos: [],
  ciend: [],
};

/** Reads INFO, given as its own text. */
export function structuralInfo(info: string): StructuralInfo {
  const end = field(info, 'END');
  const lengths = field(info, 'SVLEN');
  return {
    svtype: field(info, 'SVTYPE')?.toUpperCase(),
    // However large: the caller refuses what cannot be stored.
    end: end !== undefined && /^[+-]?\d+$/.test(end) ? Number(end) : undefined,
    svlen: lengths === undefined ? [] : lengths.split(',').map((length) => Math.abs(Number.parseInt(length, 10))),
    chr2: field(info, 'CHR2'),
    cipos: offsets(field(info, 'CIPOS')),
    ciend: offsets(field(info, 'CIEND')),
  };
}

/** Whole numbers; any other text is ignored, as is an END that is not a number. */
function offsets(text: string | undefined): number[] {
  return text !== undefined && /^[+-]?\d{1,9}(,[+-]?\d{1,9})*$/.test(text) ? text.split(',').map(Number) : [];
}

/** An alternate's allele with the ranges that CIPOS and CIEND leave it; `count` is that of the record's alternates. */
export function ranged(allele: Allele, { cipos, ciend }: StructuralInfo, index: number, count: number): Allele {
  if (cipos.length === 0 && ciend.length === 0) return allele;
  const startRange = around(allele.start, cipos, index, count);
  const endRange = around(allele.end, ciend, index, count);
  return { ...allele, ...(startRange && { startRange }), ...(endRange && { endRange }) };
}

function around(position: number, offsets: readonly number[], index: number, count: number): Bounds | undefined {
  const [below, above] = offsets.length === 2 * count ? offsets.slice(2 * index, 2 * index + 2) : offsets;
  if (below === undefined || above === undefined || (offsets.length !== 2 && offsets.length !== 2 * count)) {
    return undefined;
  }
  // The position itself is always possible, also if a caller swaps the two values.
  const within = (value: number) => Math.min(Math.max(value, 0), farthest);
  return { min: within(position + Math.min(below, above, 0)), max: within(position + Math.max(below, above, 0)) };
}

function field(info: string, key: string): string | undefined {
  const wanted = `${key}=`;
  for (let at = info.indexOf(wanted); at >= 0; at = info.indexOf(wanted, at + 1)) {
    if (at > 0 && info[at - 1] !== ';') continue;
    const end = info.indexOf(';', at);
    const value = info.slice(at + wanted.length, end < 0 ? undefined : end);
    return value === '' || value === '.' ? undefined : value;
  }
  return undefined;
}

export interface Breakend {
  alternate: string;
  /** The mate's contig, if it is one of `contigs`, and its zero-based position. */
  mate?: { contig: Contig; position: number };
}

const bracketed = /^([A-Za-z]*)([[\]])(.+):(\d+)([[\]])([A-Za-z]*)$/;
const single = /^(\.[A-Za-z]+|[A-Za-z]+\.)$/;

/** True if an alternate is written as a breakend, well-formed or not. */
export function isBreakend(alternate: string): boolean {
  return alternate.includes('[') || alternate.includes(']') || (alternate.length > 1 && alternate.includes('.'));
}

/**
 * Reads a breakend (`G]17:198982]`, `]13:123456]T`, `G.`, `.G`); undefined if malformed. Chromosome names and bases
 * are normalised. A mate on any other contig than `contigs` gives a breakend without a mate.
 */
export function breakend(alternate: string, contigNamed: (name: string) => Contig | undefined): Breakend | undefined {
  if (single.test(alternate)) return { alternate: alternate.toUpperCase() };
  const [, before = '', bracket, name = '', digits, closing, after = ''] = bracketed.exec(alternate) ?? [];
  if (!bracket || bracket !== closing || (before === '') === (after === '')) return undefined;
  const position = Number(digits) - 1;
  if (position < 0) return undefined;
  const read = bases(before || after);
  if (!read) return undefined;
  const contig = contigNamed(name);
  const there = `${bracket}${contig ?? name}:${digits}${bracket}`;
  const written = before ? `${read}${there}` : `${there}${read}`;
  return contig ? { alternate: written, mate: { contig, position } } : { alternate: written };
}

/** The word in a symbolic alternate (`DUP:TANDEM` of `<DUP:TANDEM>`), upper case; undefined for anything else. */
export function symbol(alternate: string): string | undefined {
  return alternate.length > 2 && alternate.startsWith('<') && alternate.endsWith('>')
    ? alternate.slice(1, -1).toUpperCase()
    : undefined;
}

const knownSymbol = /^(DEL|INS|DUP|INV|CNV)(:|$)/;

/**
 * The kind of a structural allele: its SVTYPE, or a symbol that is a subtype of it (`<DUP:TANDEM>` of DUP). SVTYPE belongs
 * to the whole record: if that has several alternates, an allele's own symbol wins.
 * Copy numbers (`<CN0>`) without SVTYPE are CNV.
 */
export function kindOfStructural(svtype: string | undefined, symbol: string | undefined, several: boolean): string {
  if (symbol === undefined) return svtype ?? 'BND';
  if (svtype === undefined) return /^CN\d+$/.test(symbol) ? 'CNV' : symbol;
  return symbol.startsWith(`${svtype}:`) || (several && knownSymbol.test(symbol)) ? symbol : svtype;
}

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
