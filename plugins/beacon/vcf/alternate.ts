/** Reads one alternate of a record as an allele, independently of the record's other alternates. */
import {
  bases,
  endOfStructural,
  type Header,
  isAmbiguous,
  isBreakend,
  isPlaceholder,
  kindOfStructural,
  otherEnd,
  type StructuralInfo,
  statedLength,
  symbol,
} from '../../../core/vcf.js';
import type { Allele, Contig } from '../domain/allele.js';
import { farthest } from '../domain/bounds.js';
import { kindOfSequence } from '../domain/canonical.js';
import { isInsertion } from '../domain/similar.js';
import { breakend, isTypeOfSequence, kindOfBreakend, ranged } from './structural.js';

/** What the alternates of a record have in common. */
export interface Site {
  contig: Contig;
  /** One-based, as the record writes it: 0 and one past the last base are telomeres. */
  position: number;
  reference: string;
  info: StructuralInfo;
  alternates: Alternates;
}

/** What the header of a file says of its records. */
export type FileHeader = Pick<Header, 'contig' | 'baseAt' | 'isTelomere' | 'isEndShared'>;

/** How INFO, which belongs to the whole record, applies to one of several alternates. */
export interface Alternates {
  /** The number of alternates, and of values in fields that have one for each. */
  count: number;
  /** Whether more than one is an allele. */
  several: boolean;
  /** Whether any is a symbolic allele or a breakend. */
  symbolic: boolean;
}

const one: Alternates = { count: 1, several: false, symbolic: false };

export function alternatesOf(all: readonly string[]): Alternates {
  // A single alternate has no others to depend on.
  if (all.length === 1) return one;
  const alleles = all.filter((alternate) => !isPlaceholder(alternate));
  const symbolic = alleles.some((alternate) => alternate.startsWith('<') || isBreakend(alternate));
  return { count: all.length, several: alleles.length > 1, symbolic };
}

/** The allele as the record writes it, or the reason why it cannot be read. */
export function readAlternate(site: Site, alternate: string, index: number, file: FileHeader): Allele | string {
  const read = isBreakend(alternate) ? readBreakend(site, alternate, file) : readWritten(site, alternate, index, file);
  return typeof read === 'string' || !read.structural ? read : ranged(read, site.info, index, site.alternates.count);
}

function readBreakend({ contig, position, reference, info, alternates }: Site, written: string, file: FileHeader) {
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

function readWritten(site: Site, alternate: string, index: number, file: FileHeader): Allele | string {
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
  // A length that cannot be stored is as good as none.
  const isShown = !isInsertion(kind) && length === placed.end - placed.start - 1;
  return length === undefined || length > farthest || isShown ? allele : { ...allele, length };
}

/** Bases of a record with an SVTYPE: what is written out needs no length. */
function readTyped(
  site: Site,
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

function isEndShared({ info, alternates }: Site, kind: string, file: FileHeader): boolean {
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
