/** Reads one alternate of a record as an allele, independently of the record's other alternates. */
import {
  bases,
  endOfStructural,
  isBreakend,
  isPlaceholder,
  kindOfStructural,
  type StructuralInfo,
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
  /** Zero-based. */
  start: number;
  reference: string;
  info: StructuralInfo;
  alternates: Alternates;
}

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
export function readAlternate(
  site: Site,
  alternate: string,
  index: number,
  contigNamed: (name: string) => Contig | undefined,
): Allele | string {
  const read = isBreakend(alternate)
    ? readBreakend(site, alternate, contigNamed)
    : readWritten(site, alternate, index, contigNamed);
  return typeof read === 'string' || !read.structural ? read : ranged(read, site.info, index, site.alternates.count);
}

function readBreakend(
  { contig, start, reference, info, alternates }: Site,
  written: string,
  contigNamed: (name: string) => Contig | undefined,
): Allele | string {
  const read = breakend(written, contigNamed);
  if (!read) return 'malformed breakend in ALT';
  const kind = kindOfBreakend(info.svtype, alternates.several);
  const allele = { contig, start, reference, alternate: read.alternate, kind, structural: true };
  if (!read.mate) return { ...allele, end: start + 1 };
  return { ...allele, end: read.mate.position, mate: read.mate.contig };
}

function readWritten(
  { contig, start, reference, info, alternates }: Site,
  alternate: string,
  index: number,
  contigNamed: (name: string) => Contig | undefined,
): Allele | string {
  const word = symbol(alternate);
  const sequence = word === undefined ? bases(alternate) : undefined;
  if (word === undefined && sequence === undefined) {
    return 'ALT must be bases, a <symbol> or a breakend';
  }
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
  const forEach = info.svlen.length === alternates.count;
  const length = forEach ? info.svlen[index] : info.svlen[0];
  // Some callers leave out the base before an insertion: SVLEN is then the length of all that is written.
  const isBare = isInsertion(kind) && reference.length === 1 && sequence?.length === length;
  const written = sequence !== undefined && isBare && !sequence.startsWith(reference) ? reference + sequence : sequence;
  const allele = { contig, start, reference, alternate: written ?? alternate, kind, structural: true };
  const mate = word !== undefined && info.chr2 ? contigNamed(info.chr2) : undefined;
  if (mate && mate !== contig && info.end !== undefined && info.end > 0) return { ...allele, end: info.end - 1, mate };
  const end = endOfStructural({
    kind,
    start,
    reference,
    symbolic: word !== undefined,
    end: alternates.several && forEach ? undefined : info.end,
    length,
  });
  if (typeof end === 'string') return end;
  // Bases that are written out speak for themselves; a length that cannot be stored is as good as none.
  const isStated = word !== undefined && isInsertion(kind) && length !== undefined && length > 0 && length <= farthest;
  return isStated ? { ...allele, end, length } : { ...allele, end };
}
