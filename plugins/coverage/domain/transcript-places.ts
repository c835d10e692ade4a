/** What a place in a transcript is called: the exon's number, and the coding position (HGVS, `c.`). */
import { codingParts, type Span, type TranscriptWithExons } from '../contract.js';

export interface TranscriptPlace {
  /** `12`, or `3-4` for a place that runs over exons without an intron between them. Empty outside of all exons. */
  exon: string;
  /**
   * `c.123_145`, `c.-12_34`, `c.1971_*45`, or `c.123` for a single base, in the direction of reading; bases of introns by the
   * nearest base of an exon, `c.145+1_145+8`. Undefined if the coding sequence or the strand is unknown.
   */
  coding?: string;
}

type Model = Pick<TranscriptWithExons, 'exons' | 'strand'>;

/** Names places (zero-based half-open, on the transcript's chromosome) by the exons and the coding part of a transcript. */
export function placesIn(transcript: Model): (place: Span) => TranscriptPlace {
  const numbered = codingNumbers(transcript);
  return ({ start, end }) => {
    const ranks = transcript.exons.flatMap((exon) => (exon.start < end && start < exon.end ? [exon.rank] : []));
    const [first, last] = [Math.min(...ranks), Math.max(...ranks)];
    const exon = ranks.length === 0 ? '' : first === last ? String(first) : `${first}-${last}`;
    const [from, to] = transcript.strand === -1 ? [end - 1, start] : [start, end - 1];
    const [begin, until] = [numbered?.(from), numbered?.(to)];
    if (begin === undefined || until === undefined) return { exon };
    return { exon, coding: begin === until ? `c.${begin}` : `c.${begin}_${until}` };
  };
}

/**
 * Numbers bases as HGVS does: 1 is the first base of the start codon, -1 the base before it, *1 the base after
 * the stop codon. Undefined if the coding sequence is unknown, or is not one run of the exons' bases.
 */
function codingNumbers(transcript: Model): ((position: number) => string | undefined) | undefined {
  const parts = codingParts(transcript) ?? [];
  const [first, last] = [parts[0], parts.at(-1)];
  if (transcript.strand === undefined || first === undefined || last === undefined) return undefined;
  const reverse = transcript.strand === -1;
  const exons = transcript.exons.toSorted((a, b) => (reverse ? b.start - a.start : a.start - b.start));
  const offsetOf = (position: number): number | undefined => {
    let before = 0;
    for (const { start, end } of exons) {
      if (start <= position && position < end) return before + (reverse ? end - 1 - position : position - start);
      before += end - start;
    }
    return undefined;
  };
  const begin = offsetOf(reverse ? last.end - 1 : first.start);
  const until = offsetOf(reverse ? first.start : last.end - 1);
  const bases = parts.reduce((sum, { start, end }) => sum + end - start, 0);
  if (begin === undefined || until === undefined || until - begin + 1 !== bases) return undefined;
  const exonic = (position: number) => {
    const offset = offsetOf(position);
    if (offset === undefined) return undefined;
    if (offset < begin) return String(offset - begin);
    return offset > until ? `*${offset - until}` : String(offset - begin + 1);
  };
  return (position) => {
    const own = exonic(position);
    if (own !== undefined) return own;
    // The nearest bases of exons on both sides; in the middle of an intron the one before counts.
    const left = Math.max(...exons.map(({ end }) => (end <= position ? end - 1 : Number.NEGATIVE_INFINITY)));
    const right = Math.min(...exons.map(({ start }) => (start > position ? start : Number.POSITIVE_INFINITY)));
    const [before, after] = reverse ? [right, left] : [left, right];
    if (!Number.isFinite(before) || !Number.isFinite(after)) return undefined;
    const [since, to] = [Math.abs(position - before), Math.abs(after - position)];
    return since <= to ? `${exonic(before)}+${since}` : `${exonic(after)}-${to}`;
  };
}
