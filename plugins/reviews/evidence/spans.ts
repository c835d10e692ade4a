/** Runs of bases of chromosomes. */
import type { Contig } from '../../../core/genome.js';
import type { Span } from '../../services/services.js';

export interface PlacedSpan extends Span {
  chromosome: Contig;
}

/** By the name of the chromosome, then by start. */
export function byPlace(one: PlacedSpan, other: PlacedSpan): number {
  return (
    (one.chromosome < other.chromosome ? -1 : Number(one.chromosome > other.chromosome)) || one.start - other.start
  );
}

/** By place, those that touch as one. */
export function joined(spans: readonly PlacedSpan[]): PlacedSpan[] {
  const found: PlacedSpan[] = [];
  for (const span of [...spans].sort(byPlace)) {
    const last = found.at(-1);
    if (last?.chromosome === span.chromosome && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else found.push({ ...span });
  }
  return found;
}

/** One for each chromosome. */
export function extentsOf(spans: readonly PlacedSpan[]): PlacedSpan[] {
  const found = new Map<Contig, PlacedSpan>();
  for (const { chromosome, start, end } of spans) {
    const known = found.get(chromosome) ?? { chromosome, start, end };
    found.set(chromosome, { chromosome, start: Math.min(start, known.start), end: Math.max(end, known.end) });
  }
  return [...found.values()];
}

export function isIn(
  { chromosome, start }: { chromosome: Contig; start: number },
  end: number,
  spans: readonly PlacedSpan[],
): boolean {
  return spans.some((span) => span.chromosome === chromosome && span.start < end && span.end > start);
}
