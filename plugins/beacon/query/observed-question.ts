/** The question for observations that is in a query. */
import { type AlleleQuery, isPlain, type ObservedQuestion } from '../contract.js';
import { canonicalQuestion } from '../domain/canonical.js';
import { isInsertion } from '../domain/similar.js';
import { areJunctions, typeOf } from '../domain/variant-types.js';

/** Bases from which on a deletion or another stretch is a structural variant in the usual sense. */
const leastStructural = 50;

/**
 * The one allele or structural variant that a query is for, if it is. A query by type also finds small insertions and
 * deletions, and breakends from their mates: those are left out where observations would count fewer.
 */
export function questionIn({ replaces, ...query }: AlleleQuery): ObservedQuestion | undefined {
  const { contig, reference, alternate, kinds, mate } = query;
  // Beacon v2 places structural variants so; whatever else narrows it finds fewer than those of the place.
  const { start, end } = replaces ?? query;
  if (!start || start.min !== start.max) return undefined;
  if (replaces && Object.keys(replaces).some((name) => name !== 'start' && name !== 'end')) return undefined;
  if (isPlain(reference) && isPlain(alternate)) {
    const asked = canonicalQuestion({ start, reference, alternate });
    return { type: 'sequence', contig, start: asked.start.min, reference: asked.reference, alternate: asked.alternate };
  }
  const kind = typeOf(kinds);
  if (kind === undefined || !end || end.min !== end.max) return undefined;
  const question = { type: 'structural', contig, start: start.min, end: end.min, kind } as const;
  if (mate) return { ...question, mate };
  const isStretch = question.end - question.start >= leastStructural && !isInsertion(kind) && !areJunctions(kinds);
  return isStretch ? question : undefined;
}
