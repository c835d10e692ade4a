/**
 * Reads one alternate of a record as an allele: bases, symbols and breakends (VCF 4.3 §1.6 and §5, 4.4 §3), independently of
 * the record's other alternates.
 */
import {
  bases,
  endOfStructural,
  type Header,
  isAmbiguous,
  isBreakend,
  isPlaceholder,
  kindOfStructural,
  otherEnd,
  referenceBases,
  repeatLength,
  repeatUnits,
  type StructuralInfo,
  statedLength,
  symbol,
} from '../../../core/vcf.js';
import { type Allele, type Bounds, type Contig, farthest } from '../domain/allele.js';
import { kindOfSequence } from '../domain/allele-query.js';
import { isInsertion, isRepeat } from '../domain/similar.js';

/** What the alternates of a record have in common. */
interface RecordSite {
  contig: Contig;
  /** One-based, as the record writes it: 0 and one past the last base are telomeres. */
  position: number;
  reference: string;
  info: StructuralInfo;
  alternates: Alternates;
}

/** What the header of a file defines for its records. */
type FileHeader = Pick<Header, 'contig' | 'baseAt' | 'isTelomere' | 'isEndShared'>;

/** How INFO, which belongs to the whole record, applies to one of several alternates. */
interface Alternates {
  /** The number of alternates, and of values in fields that have one for each. */
  count: number;
  /** Whether more than one is an allele. */
  several: boolean;
  /** Whether any is a symbolic allele or a breakend. */
  symbolic: boolean;
}

const one: Alternates = { count: 1, several: false, symbolic: false };

export function alternatesOfRecord(all: readonly string[]): Alternates {
  // A single alternate has no others to depend on.
  if (all.length === 1) return one;
  const alleles = all.filter((alternate) => !isPlaceholder(alternate));
  const symbolic = alleles.some((alternate) => alternate.startsWith('<') || isBreakend(alternate));
  return { count: all.length, several: alleles.length > 1, symbolic };
}

/** The allele as the record writes it, or the reason why it cannot be read. */
export function readAlternate(site: RecordSite, alternate: string, index: number, file: FileHeader): Allele | string {
  const read = isBreakend(alternate) ? readBreakend(site, alternate, file) : readWritten(site, alternate, index, file);
  return typeof read === 'string' || !read.structural ? read : ranged(read, site.info, index, site.alternates.count);
}

function readBreakend(
  { contig, position, reference, info, alternates }: RecordSite,
  written: string,
  file: FileHeader,
) {
  const isTelomere = file.isTelomere(contig, position);
  const read = breakend(written, file, isTelomere);
  if (!read) return 'malformed breakend in ALT';
  const kind = kindOfBreakend(info.svtype, alternates.several);
  return joined({ contig, position, reference, alternate: read.alternate, kind }, read.mate, file);
}

/** A junction with the base beside each of its ends: a telomere has no base of its own. Without a mate, a single breakend. */
function joined(
  { position, ...written }: Pick<Allele, 'contig' | 'reference' | 'alternate' | 'kind'> & { position: number },
  mate: { contig: Contig; position: number } | undefined,
  file: FileHeader,
): Allele {
  const start = file.baseAt(written.contig, position);
  const allele = { ...written, start, structural: true };
  if (!mate) return { ...allele, end: start + 1 };
  return { ...allele, end: file.baseAt(mate.contig, mate.position), mate: mate.contig };
}

function readWritten(site: RecordSite, alternate: string, index: number, file: FileHeader): Allele | string {
  const { contig, position, reference, info, alternates } = site;
  const start = position - 1;
  const word = symbol(alternate);
  const sequence = word === undefined ? bases(alternate) : undefined;
  if (word === undefined && sequence === undefined) {
    return isAmbiguous(alternate)
      ? 'ALT has a code for several bases (IUPAC), so that its bases are not known'
      : 'ALT must be bases, a <symbol> or a breakend';
  }
  if (sequence !== undefined && file.isTelomere(contig, position)) return 'a telomere has no bases';
  if (sequence === reference) return 'ALT is the same as REF';
  if (sequence !== undefined && !isTypeOfSequence(info.svtype, reference, sequence, alternates)) {
    const kind = kindOfSequence(reference, sequence);
    return {
      contig,
      start,
      end: start + reference.length,
      reference,
      alternate: sequence,
      kind,
      structural: false,
    };
  }
  const kind = kindOfStructural(info.svtype, word, alternates.several);
  const length = statedLength(info, kind, index, alternates.count);
  if (sequence !== undefined) return readTyped(site, { sequence, kind, length }, file);
  const written = { contig, position, reference, alternate, kind };
  const other = otherEnd(info, { ...written, length }, file.contig.bind(file));
  if (other) return joined(written, other === 'unknown' ? undefined : other, file);
  if (position > 0 && file.isTelomere(contig, position))
    return 'nothing but a junction can be at the telomere after the last base';
  const end = endOfStructural({
    kind,
    start,
    reference,
    symbolic: true,
    end: info.end,
    length,
    isEndShared: isEndShared(site, kind, file),
  });
  if (typeof end === 'string') return end;
  const placed = { start: file.baseAt(contig, position), end: Math.max(end, 1) };
  const allele = { contig, ...placed, reference, alternate, kind, structural: true };
  // Beside counted units, SVLEN may be the difference from the reference.
  const own = repeatUnits(kind) === undefined ? length : repeatLength(info, kind);
  // A length that cannot be stored is as good as none.
  const isShown = !isInsertion(kind) && !isRepeat(kind) && own === placed.end - placed.start - 1;
  return own === undefined || own > farthest || isShown ? allele : { ...allele, length: own };
}

/** Bases of a record with an SVTYPE: what is written out needs no length. */
function readTyped(
  site: RecordSite,
  { sequence, kind, length }: { sequence: string; kind: string; length: number | undefined },
  file: FileHeader,
): Allele | string {
  const { contig, position, reference, info } = site;
  const start = position - 1;
  const alternate = isBare(reference, sequence, kind, length) ? reference + sequence : sequence;
  const end = endOfStructural({
    kind,
    start,
    reference,
    symbolic: false,
    end: info.end,
    length,
    isEndShared: isEndShared(site, kind, file),
  });
  return typeof end === 'string' ? end : { contig, start, end, reference, alternate, kind, structural: true };
}

function isEndShared({ info, alternates }: RecordSite, kind: string, file: FileHeader): boolean {
  if (file.isEndShared) return true;
  return alternates.several && (info.svlen.length === alternates.count || isInsertion(kind));
}

/**
 * Whether an insertion is written without the base before it, as some callers do: SVLEN is then the length of all that is
 * written. A caller that writes N for that base cannot have put it in ALT, unless SVLEN says so. Without a length, nothing is
 * added to what is written.
 */
function isBare(reference: string, sequence: string, kind: string, length: number | undefined): boolean {
  if (length === undefined || !isInsertion(kind)) return false;
  if (reference.length !== 1 || sequence.startsWith(reference)) return false;
  return sequence.length === length || (reference === 'N' && sequence.length - 1 !== length);
}

// Structural alleles from INFO, symbolic alternates and breakend notation (VCF 4.3 §1.6 and §5, 4.4 §3).

/** An alternate's allele with the ranges that CIPOS and CIEND leave it; `count` is that of the record's alternates. */
function ranged(allele: Allele, { cipos, ciend }: StructuralInfo, index: number, count: number): Allele {
  if (cipos.length === 0 && ciend.length === 0) return allele;
  const startRange = boundsAround(allele.start, cipos, index, count);
  const endRange = boundsAround(allele.end, ciend, index, count);
  return { ...allele, ...(startRange && { startRange }), ...(endRange && { endRange }) };
}

function boundsAround(position: number, offsets: readonly number[], index: number, count: number): Bounds | undefined {
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

interface Breakend {
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
function kindOfBreakend(svtype: string | undefined, several: boolean): string {
  return svtype === undefined || (several && knownSymbol.test(svtype)) ? 'BND' : svtype;
}

/**
 * Returns whether SVTYPE describes an alternate of plain bases: not if a symbol or a breakend is beside it, nor if it is one
 * of several and its own length contradicts the type.
 */
function isTypeOfSequence(
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
