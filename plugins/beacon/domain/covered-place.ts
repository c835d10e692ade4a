/** Which bases of a sample must be covered, so that its calls say whether it carries an allele. */
import { lengthOf } from '../../../core/genome.js';
import type { Assembly, Contig } from './allele.js';
import type { ObservedQuestion, SequenceQuestion } from './observation.js';
import { isInsertion, type StructuralQuestion } from './similar.js';

/** Bases of one chromosome: zero-based half-open, ascending and apart from each other. */
export interface BasesOf {
  chromosome: Contig;
  intervals: readonly { start: number; end: number }[];
}

/**
 * Of an allele of plain bases, each base of its reference; of an insertion or deletion one base more on each side. Of a
 * structural variant the bases at its two ends: POS and END, or the two sides of an insertion; of a junction with another
 * chromosome one place on each.
 */
export function placesOf(question: ObservedQuestion, assembly: Assembly): readonly BasesOf[] {
  if (question.type === 'sequence') return [{ chromosome: question.contig, intervals: [spanOf(question, assembly)] }];
  const { contig, start, end, mate } = question;
  if (mate !== undefined && mate !== contig) {
    return [on(contig, assembly, [base(start)]), on(mate, assembly, [base(end)])];
  }
  return [on(contig, assembly, endsOf(question))];
}

/** The one place of an allele of plain bases, which is one interval. */
export function spanOf({ contig, start, reference, alternate }: SequenceQuestion, assembly: Assembly): Span {
  const more = reference.length === alternate.length ? 0 : 1;
  return within(lengthOf(assembly, contig), start - more, start + reference.length + more);
}

function endsOf({ kind, start, end, mate }: StructuralQuestion): Span[] {
  if (mate !== undefined) return [base(Math.min(start, end)), base(Math.max(start, end))];
  if (isInsertion(kind)) return [{ start, end: start + 2 }];
  return kind === 'BND' || kind.startsWith('BND:') ? [base(start)] : [base(start), base(end - 1)];
}

export interface Span {
  start: number;
  end: number;
}

function base(start: number): Span {
  return { start, end: start + 1 };
}

/** At least one base of a chromosome of this length. */
function within(length: number, from: number, to: number): Span {
  const start = Math.min(Math.max(from, 0), length - 1);
  return { start, end: Math.max(Math.min(to, length), start + 1) };
}

/** Within the chromosome; what touches becomes one. */
function on(chromosome: Contig, assembly: Assembly, spans: readonly Span[]): BasesOf {
  const length = lengthOf(assembly, chromosome);
  const intervals: Span[] = [];
  for (const span of spans) {
    const { start, end } = within(length, span.start, span.end);
    const last = intervals.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else intervals.push({ start, end });
  }
  return { chromosome, intervals };
}
