/** Structural alleles: what INFO, symbolic alternates and breakend notation say (VCF 4.3 §1.6 and §5, 4.4 §3). */
import type { Allele, Bounds, Contig } from '../domain/allele.js';
import { farthest } from '../domain/bounds.js';
import { bases } from './sequence.js';

/** The fields of INFO that place and name a structural allele; undefined where absent or `.`. */
export interface StructuralInfo {
  svtype: string | undefined;
  end: number | undefined;
  /** One value an alternate, or one for all. */
  svlen: readonly number[];
  /** Older callers name the other end's chromosome here. */
  chr2: string | undefined;
  /** How far POS and END may lie off, below and above: a pair for all alternates, or one for each; else empty. */
  cipos: readonly number[];
  ciend: readonly number[];
}

/** Reads INFO, given as its own text. */
export function structuralInfo(info: string): StructuralInfo {
  const end = field(info, 'END');
  const lengths = field(info, 'SVLEN');
  return {
    svtype: field(info, 'SVTYPE')?.toUpperCase(),
    // However large: that it is beyond what is stored is for whoever uses it to say.
    end: end !== undefined && /^[+-]?\d+$/.test(end) ? Number(end) : undefined,
    svlen: lengths === undefined ? [] : lengths.split(',').map((length) => Math.abs(Number.parseInt(length, 10))),
    chr2: field(info, 'CHR2'),
    cipos: offsets(field(info, 'CIPOS')),
    ciend: offsets(field(info, 'CIEND')),
  };
}

/** Whole numbers; what holds anything else says nothing, as an END that is no number. */
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
  // The position itself is always possible, also where callers write the pair the wrong way round.
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
  /** The mate's contig where it is one of ours, and its zero-based position. */
  mate?: { contig: Contig; position: number };
}

const bracketed = /^([A-Za-z]*)([[\]])(.+):(\d+)([[\]])([A-Za-z]*)$/;
const single = /^(\.[A-Za-z]+|[A-Za-z]+\.)$/;

/** True where an alternate is written as a breakend, well or not. */
export function isBreakend(alternate: string): boolean {
  return alternate.includes('[') || alternate.includes(']') || (alternate.length > 1 && alternate.includes('.'));
}

/**
 * Reads a breakend (`G]17:198982]`, `]13:123456]T`, `G.`, `.G`); undefined where it is malformed. Chromosome names and
 * bases come out in one spelling. A mate on a contig that is none of ours leaves a breakend without a mate.
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
 * The kind of a structural allele. SVTYPE says it; a symbol that is a subtype of it (`<DUP:TANDEM>` of DUP) says it
 * more exactly. SVTYPE belongs to the whole record: where that has several alternates, an allele's own symbol wins.
 * Copy numbers (`<CN0>`) without SVTYPE are CNV.
 */
export function kindOfStructural(svtype: string | undefined, symbol: string | undefined, several: boolean): string {
  if (symbol === undefined) return svtype ?? 'BND';
  if (svtype === undefined) return /^CN\d+$/.test(symbol) ? 'CNV' : symbol;
  return symbol.startsWith(`${svtype}:`) || (several && knownSymbol.test(symbol)) ? symbol : svtype;
}

/** The kind of a breakend: SVTYPE (BND, TRA), unless that is said of another alternate of the record (DEL). */
export function kindOfBreakend(svtype: string | undefined, several: boolean): string {
  return svtype === undefined || (several && knownSymbol.test(svtype)) ? 'BND' : svtype;
}

/**
 * True where SVTYPE is said of an alternate that is written out. It is not where it means a symbol or a breakend beside
 * it, nor where its own length contradicts the type and it is one of several.
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

/** What is known of where a structural allele ends. */
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
 * One past the last base of a symbolic allele, or of a record with SVTYPE; a sentence where nothing tells it. END states
 * it. Without one (an END before the record counts as none) it follows from SVLEN, else from REF where the sequence is
 * written out. Insertions take no reference base beyond that of REF.
 */
export function endOfStructural({ kind, start, reference, symbolic, end, length }: Extent): number | string {
  if (end !== undefined && end > start) return end;
  if (kind.startsWith('INS') || kind === 'BND') return start + reference.length;
  if (length !== undefined && length > 0) return start + 1 + length;
  return symbolic ? 'neither END nor SVLEN tells where the allele ends' : start + reference.length;
}
