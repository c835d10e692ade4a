/** Which alleles match a query: the one rule of every storage adapter. */
import type { Allele, Contig } from './allele.js';
import type { AlleleQuery, KindFilter } from './allele-query.js';
import { isPlain, trimmed } from './canonical.js';
import { isReplaced } from './replaced.js';

/**
 * Returns whether the allele matches the query, by its stated start and end: ranges around these do not matter.
 *
 * - A breakend is found from both of its ends. Its reference base is that of the near end, so that only a query without
 *   reference bases finds it from the far end.
 * - A structural allele of plain bases is found as it is stored. A query with reference and alternate bases (`isSpelled`)
 *   finds it also without the bases that the two share: see `trimmed`.
 * - `replaces` is about what an allele replaces, whichever shared bases its record writes: see `isReplaced`.
 */
export function matches(allele: Allele, query: AlleleQuery): boolean {
  if (query.kinds && !query.kinds.some((filter) => isOfKind(allele, filter))) return false;
  return (
    matchesAsStored(allele, query) || (allele.structural && isSpelled(query) && matchesHere(trimmed(allele), query))
  );
}

/** Returns whether a query has plain bases for reference and alternate. */
export function isSpelled(query: AlleleQuery): boolean {
  return isPlain(query.reference) && isPlain(query.alternate);
}

function matchesAsStored(allele: Allele, query: AlleleQuery): boolean {
  if (matchesHere(allele, query)) return true;
  if (!isBases(query.alternate, allele.alternate)) return false;
  return allele.mate !== undefined && isOpen(query.reference) && placed(allele, farEnd(allele, allele.mate), query);
}

function matchesHere(allele: Allele, query: AlleleQuery): boolean {
  return (
    isBases(query.reference, allele.reference) &&
    isBases(query.alternate, allele.alternate) &&
    placed(allele, allele, query)
  );
}

type Place = Pick<Allele, 'contig' | 'start' | 'end' | 'mate'>;

/** A breakend as seen from its mate. */
function farEnd(breakend: Allele, mate: Contig): Place {
  return { contig: mate, start: breakend.end, end: breakend.start, mate: breakend.contig };
}

/** `place`: the allele, or its far end. */
function placed(allele: Allele, place: Place, query: AlleleQuery): boolean {
  if (place.contig !== query.contig) return false;
  if (query.mate !== undefined && place.mate !== query.mate) return false;
  if (query.start && (place.start < query.start.min || place.start > query.start.max)) return false;
  if (query.end && (place.end < query.end.min || place.end > query.end.max)) return false;
  if (query.overlaps) {
    const end = place.mate === undefined ? place.end : place.start + 1;
    if (place.start >= query.overlaps.end || end <= query.overlaps.start) return false;
  }
  return !query.replaces || isReplaced(allele, place, query.replaces, query.mate);
}

function isOfKind(allele: Allele, filter: KindFilter): boolean {
  if (filter.structural !== undefined && filter.structural !== allele.structural) return false;
  return allele.kind === filter.kind || allele.kind.startsWith(`${filter.kind}:`);
}

/** Returns whether a pattern is omitted or a lone N, which match anything. */
export function isOpen(pattern: string | undefined): boolean {
  return pattern === undefined || pattern === 'N';
}

function isBases(pattern: string | undefined, bases: string): boolean {
  if (pattern === undefined || pattern === 'N' || pattern === bases) return true;
  if (pattern.length !== bases.length || !pattern.includes('N')) return false;
  for (let i = 0; i < pattern.length; i++) {
    const wanted = pattern[i];
    if (wanted !== 'N' ? wanted !== bases[i] : !isBase(bases.charCodeAt(i))) return false;
  }
  return true;
}

/** A letter A–Z: keeps `NNNNN` from matching `<DEL>`. */
function isBase(code: number): boolean {
  return code >= 65 && code <= 90;
}
