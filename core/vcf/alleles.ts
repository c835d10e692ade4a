/**
 * Alleles in VCF: plain sequence, structural types as files and clients write them, and values of the columns INFO and ALT that
 * say where such alleles end.
 */
import type { Contig } from '../genome.js';

const plain = /^[ACGTN]+$/;

/** Of the codes for several bases, the base that is first in the alphabet (VCF 4.3 §1.6.1). */
const first: Readonly<Record<string, string>> = {
  ...{ R: 'A', Y: 'C', S: 'C', W: 'A', K: 'G', M: 'A', B: 'C', D: 'A', H: 'A', V: 'A' },
};

/** The bases of an alternate, in upper case; undefined for any other text, IUPAC codes of several bases included. */
export function bases(text: string): string | undefined {
  if (plain.test(text)) return text;
  const upper = text.toUpperCase();
  return plain.test(upper) ? upper : undefined;
}

/** The bases of a reference, in upper case; a code for several bases becomes one of them, as VCF asks. Undefined for any other text. */
export function referenceBases(text: string): string | undefined {
  return bases(text) ?? bases(text.toUpperCase().replace(/[RYSWKMBDHV]/g, (code) => first[code] ?? code));
}

/** Whether a text is of bases and codes for several bases, at least one of these. */
export function isAmbiguous(text: string): boolean {
  return bases(text) === undefined && referenceBases(text) !== undefined;
}

// What structural types mean: SVTYPE, and the words in symbolic alternates (VCF 4.3 §1.4.5 and §3, 4.4 §3), as files and
// clients write them. A subtype has its type before a colon: DUP:TANDEM is a DUP.

/** The types of VCF, and those that callers in use add to them. */
export const structuralTypes = [
  ...['INS', 'DEL', 'DUP', 'INV', 'CNV', 'BND', 'TRA', 'CTX', 'ITX', 'CPX', 'MEI', 'ALU', 'LINE1', 'SVA', 'STR'],
  ...['TDUP', 'IDUP', 'INVDUP', 'LOH', 'ROH'],
] as const;

/** Other words for a type. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['MEI', 'INS:ME'],
  ['ALU', 'INS:ME:ALU'],
  ['LINE1', 'INS:ME:LINE1'],
  ['L1', 'INS:ME:LINE1'],
  ['INS:ME:L1', 'INS:ME:LINE1'],
  ['SVA', 'INS:ME:SVA'],
  ['TDUP', 'DUP:TANDEM'],
  ['CTX', 'TRA'],
  ['ITX', 'TRA'],
]);

/** Types that are part of another although their names do not say so. */
const parts: ReadonlyMap<string, readonly string[]> = new Map([
  ['CNV', ['DUP', 'DEL']],
  ['DUP', ['IDUP', 'INVDUP']],
  ['BND', ['TRA']],
]);

const copyNumber = /^CN=?\d+$/;
const repeats = /^STR(\d+)$/;

/**
 * The type that a word means, of any case: INS:ME:ALU for `ALU`, STR:18 for `STR18` (a repeat of 18 units), CNV for `CN0` and
 * `CN=0` (a number of copies is a loss or a gain only beside the number that is usual). Any other word is returned in upper case.
 */
export function typeNamed(word: string): string {
  const upper = word.toUpperCase();
  return synonyms.get(upper) ?? (copyNumber.test(upper) ? 'CNV' : upper.replace(repeats, 'STR:$1'));
}

/** Returns whether a type, or a word for one, is `of` (named as by `typeNamed`) or one of its subtypes. */
export function isWithin(type: string, of: string): boolean {
  if (type === of || type.startsWith(`${of}:`)) return true;
  const named = typeNamed(type);
  if (named !== type) return isWithin(named, of);
  return parts.get(of)?.some((part) => isWithin(type, part)) ?? false;
}

/**
 * A type and all that are within it, the type first, including other words by which they may be stored. Subtypes that begin
 * with the name of another in the list are left out.
 */
export function typesWithin(type: string): string[] {
  const named = typeNamed(type);
  const repeated = /^STR:\d+$/.test(named) ? [named.replace(':', '')] : [];
  const found = [named, ...(parts.get(named) ?? []).flatMap(typesWithin), ...repeated];
  for (const [word, meaning] of synonyms) {
    const isFound = found.some((one) => word === one || word.startsWith(`${one}:`));
    if (!isFound && isWithin(meaning, named)) found.push(word);
  }
  return found;
}

/**
 * The type of a symbolic alternate or, without `symbol`, of plain bases with an SVTYPE. What ALT says is the allele; SVTYPE,
 * which belongs to the whole record, is taken if it says the same more precisely (`<INS>` with SVTYPE=ALU), or if the word in
 * ALT is unknown. If several alternates share it, it makes only copy numbers more precise.
 */
export function kindOfStructural(svtype: string | undefined, symbol: string | undefined, several: boolean): string {
  if (symbol === undefined) return svtype ?? 'BND';
  const own = typeNamed(symbol);
  if (svtype === undefined) return own;
  if (!structuralTypes.some((type) => isWithin(own, typeNamed(type)))) return svtype;
  return isWithin(svtype, own) && (!several || copyNumber.test(symbol)) ? svtype : own;
}

// Values of the INFO column (VCF 4.3 §1.6.1).

/** The value of a key in INFO; undefined if it is absent, empty or `.`. */
export function infoValue(info: string, key: string): string | undefined {
  const wanted = `${key}=`;
  for (let at = info.indexOf(wanted); at >= 0; at = info.indexOf(wanted, at + 1)) {
    if (at > 0 && info[at - 1] !== ';') continue;
    const end = info.indexOf(';', at);
    const value = info.slice(at + wanted.length, end < 0 ? undefined : end);
    return value === '' || value === '.' ? undefined : value;
  }
  return undefined;
}

/** The fields of INFO that place and name a structural allele; undefined if absent or `.`. */
export interface StructuralInfo {
  /** As `typeNamed` names it. */
  svtype: string | undefined;
  end: number | undefined;
  /** Lengths, never negative: one value an alternate, or one for all; undefined for a missing one. */
  svlen: readonly (number | undefined)[];
  /** Bases inserted, as callers write them that leave out SVLEN (Delly, Manta). */
  inserted: number | undefined;
  /** Bases and codes of bases of the unit of a repeat, as ExpansionHunter writes it (RU). */
  unit: string | undefined;
  /** The chromosome of the other end of a symbolic junction (CHR2). */
  chr2: string | undefined;
  /** The one-based position of that end beside END: POS2 (Delly), END2 (GATK-SV) or CHR2_POS (Dysgu). */
  pos2: number | undefined;
  /** Confidence intervals around POS and END: one pair for all alternates, or one for each; else empty. NaN for a missing value. */
  cipos: readonly number[];
  ciend: readonly number[];
}

/** Of a record whose INFO says none of it. */
export const noStructuralInfo: StructuralInfo = {
  svtype: undefined,
  end: undefined,
  svlen: [],
  inserted: undefined,
  unit: undefined,
  chr2: undefined,
  pos2: undefined,
  cipos: [],
  ciend: [],
};

/** Reads INFO, given as its own text. */
export function structuralInfo(info: string): StructuralInfo {
  const svtype = infoValue(info, 'SVTYPE');
  const number = (key: string) => wholeNumber(infoValue(info, key));
  const unit = infoValue(info, 'RU');
  return {
    svtype: svtype === undefined ? undefined : typeNamed(svtype),
    end: number('END'),
    svlen: infoValue(info, 'SVLEN')?.split(',').map(lengthIn) ?? [],
    inserted: number('INSLEN') ?? number('SVINSLEN'),
    unit: unit !== undefined && /^[A-Za-z]+$/.test(unit) ? unit : undefined,
    chr2: infoValue(info, 'CHR2') ?? infoValue(info, 'CHROM2'),
    pos2: number('POS2') ?? number('END2') ?? number('CHR2_POS'),
    cipos: offsets(infoValue(info, 'CIPOS')),
    ciend: offsets(infoValue(info, 'CIEND')),
  };
}

/** However large: the caller refuses what cannot be stored. */
function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

/** Without its sign: up to VCF 4.3 deletions have negative lengths. */
function lengthIn(text: string): number | undefined {
  const length = Math.abs(Number.parseInt(text, 10));
  return Number.isNaN(length) ? undefined : length;
}

/** Whole numbers, or `.` for an alternate without; any other text is ignored, as is an END that is not a number. */
function offsets(text: string | undefined): number[] {
  const isList = text !== undefined && /^([+-]?\d{1,9}|\.)(,([+-]?\d{1,9}|\.))*$/.test(text);
  return isList ? text.split(',').map((offset) => (offset === '.' ? Number.NaN : Number(offset))) : [];
}

// Values of the ALT column that are not bases, and where they end (VCF 4.3 §1.6.1 and §5, 4.5 §3).

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

/** The units of a repeat that its type counts: 40 of STR:40; undefined for any other type. */
export function repeatUnits(kind: string): number | undefined {
  const [, units] = /^STR:?(\d+)$/.exec(kind) ?? [];
  return units === undefined ? undefined : Number(units);
}

/**
 * The bases of a repeat whose units are counted: 120 of STR:40 with the unit CAG. That is the length of the allele, not what it
 * has more than the reference. Undefined if no unit is stated.
 */
export function repeatLength({ unit = '' }: Pick<StructuralInfo, 'unit'>, kind: string): number | undefined {
  return (repeatUnits(kind) ?? 0) * unit.length || undefined;
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
