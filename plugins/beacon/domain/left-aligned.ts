/**
 * The one form of an insertion or deletion within a repeat, which needs the reference sequence: as far to the left as it can be
 * written, as `bcftools norm` and VCF 4.3 have it. Of `GCACAC`, `CAC>C`, `ACA>A` and `CACAC>CAC` are all `GCA>G`.
 */
import type { Allele, Assembly, Contig } from './allele.js';
import { canonicalQuestion, isPlain, kindOfSequence, type SpelledQuery, trimmed } from './allele-query.js';

/** The sequences of one assembly. */
export interface ReferenceBases {
  readonly assembly: Assembly;
  /** Names the sequences by their content: those of two references with the same digest are the same. */
  readonly digest: string;
  /**
   * Upper-case bases, IUPAC codes where they are not known; `start` and `end` are zero-based half-open. Undefined if the reference
   * lacks the chromosome, or if they are not within it.
   */
  bases(contig: Contig, start: number, end: number): string | undefined;
}

/** An allele of plain bases, however it is written. */
export interface Spelling {
  /** Zero-based. */
  start: number;
  reference: string;
  alternate: string;
}

/**
 * The form in which an allele is stored where a reference is loaded: `trimmed`, and an insertion or deletion as far to the left as
 * it gives the same sequence, with the base before it, or at the begin of a sequence the base after it. `canonical` if it is not of
 * plain bases, if its bases are not those of the reference there, or if no known base is beside it. Structural alleles stay.
 */
export function leftAligned<Stated extends Allele>(allele: Stated, reference: ReferenceBases): Stated {
  // Nearly all alleles are of single bases.
  if (allele.structural || (allele.reference.length === 1 && allele.alternate.length === 1)) return allele;
  const short = trimmed(allele);
  const moved = leftmost(short.contig, short, reference);
  if (!moved) return short;
  const kind = kindOfSequence(moved.reference, moved.alternate);
  return { ...short, ...moved, end: moved.start + moved.reference.length, kind };
}

/** `canonicalQuestion` with the allele as `leftAligned` stores it. */
export function leftAlignedQuestion<Asked extends SpelledQuery & { contig: Contig }>(
  asked: Asked,
  genome: ReferenceBases,
): Asked {
  const short = canonicalQuestion(asked);
  const { contig, start, end, reference, alternate } = short;
  if (!isPlain(reference) || !isPlain(alternate)) return short;
  const first = start ?? (end && { min: end.min - reference.length, max: end.max - reference.length });
  if (first === undefined || first.min !== first.max) return short;
  const last = first.min + reference.length;
  if (end && (end.min !== last || end.max !== last)) return short;
  const moved = leftmost(contig, { start: first.min, reference, alternate }, genome);
  if (!moved) return short;
  const exact = (position: number) => ({ min: position, max: position });
  return {
    ...short,
    reference: moved.reference,
    alternate: moved.alternate,
    ...(start && { start: exact(moved.start) }),
    ...(end && { end: exact(moved.start + moved.reference.length) }),
  };
}

/** Bases that are first read to the left of an allele, and at most at once: few alleles move by more than a few bases. */
const firstRead = 32;
const mostRead = 4096;

/** Undefined if it is neither an insertion nor a deletion without shared bases but one, or not of this reference. */
function leftmost(
  contig: Contig,
  { start, reference, alternate }: Spelling,
  genome: ReferenceBases,
): Spelling | undefined {
  const isDeletion = reference.length > alternate.length;
  const [longer, anchor] = isDeletion ? [reference, alternate] : [alternate, reference];
  if (anchor.length !== 1 || longer.length === 1 || !isPlain(anchor) || !isPlain(longer)) return undefined;
  const isBefore = longer.startsWith(anchor);
  if (!isBefore && !longer.endsWith(anchor)) return undefined;
  if (genome.bases(contig, start, start + reference.length) !== reference) return undefined;
  const changed = isBefore ? longer.slice(1) : longer.slice(0, -1);
  const from = isBefore ? start + 1 : start;
  const by = repeatedBefore(contig, from, changed, genome);
  const at = from - by;
  const turned = by % changed.length;
  const bases = changed.slice(changed.length - turned) + changed.slice(0, changed.length - turned);
  const before = at > 0 ? genome.bases(contig, at - 1, at) : undefined;
  if (isPlain(before)) return written(at - 1, before + bases, before, isDeletion);
  const next = at + (isDeletion ? changed.length : 0);
  const after = genome.bases(contig, next, next + 1);
  return isPlain(after) ? written(at, bases + after, after, isDeletion) : undefined;
}

function written(start: number, longer: string, shorter: string, isDeletion: boolean): Spelling {
  return isDeletion
    ? { start, reference: longer, alternate: shorter }
    : { start, reference: shorter, alternate: longer };
}

/** How many bases before `from` continue the repeat of which `unit` is the next part: each is the one a unit's length after it. */
function repeatedBefore(contig: Contig, from: number, unit: string, genome: ReferenceBases): number {
  let by = 0;
  for (let size = firstRead; ; size = Math.min(2 * size, mostRead)) {
    const stretch = genome.bases(contig, Math.max(0, from - by - size), from - by) ?? '';
    for (let i = stretch.length - 1; i >= 0; i--, by++) {
      if (stretch[i] !== unit[unit.length - 1 - (by % unit.length)]) return by;
    }
    if (stretch.length < size) return by;
  }
}
