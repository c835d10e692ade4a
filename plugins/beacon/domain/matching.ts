/** Which alleles an allele query asks for: the one rule that every storage adapter answers by. */
import type { Allele, Contig } from './allele.js';
import type { AlleleQuery, KindFilter } from './allele-query.js';
import { isPlain, trimmed } from './canonical.js';

/**
 * True where the query asks for the allele, by its stated start and end: ranges around these do not matter.
 *
 * - A breakend is found from both of its ends: from the far end its own reference base says nothing, so that only a query
 *   that leaves the reference open finds it there.
 * - A structural allele of plain bases is found as it is stored, and by queries for both its bases (`isSpelled`) also
 *   without those that reference and alternate share: see `trimmed`.
 */
export function matches(allele: Allele, query: AlleleQuery): boolean {
  if (query.kinds && !query.kinds.some((filter) => isOfKind(allele, filter))) return false;
  return (
    matchesAsStored(allele, query) || (allele.structural && isSpelled(query) && matchesHere(trimmed(allele), query))
  );
}

/** True where a query names plain bases for reference and alternate. */
export function isSpelled(query: AlleleQuery): boolean {
  return isPlain(query.reference) && isPlain(query.alternate);
}

function matchesAsStored(allele: Allele, query: AlleleQuery): boolean {
  if (matchesHere(allele, query)) return true;
  if (!isBases(query.alternate, allele.alternate)) return false;
  return allele.mate !== undefined && isOpen(query.reference) && placed(farEnd(allele, allele.mate), query);
}

function matchesHere(allele: Allele, query: AlleleQuery): boolean {
  return (
    isBases(query.reference, allele.reference) && isBases(query.alternate, allele.alternate) && placed(allele, query)
  );
}

type Place = Pick<Allele, 'contig' | 'start' | 'end' | 'mate'>;

/** A breakend as it looks from its mate. */
function farEnd(breakend: Allele, mate: Contig): Place {
  return { contig: mate, start: breakend.end, end: breakend.start, mate: breakend.contig };
}

function placed(place: Place, query: AlleleQuery): boolean {
  if (place.contig !== query.contig) return false;
  if (query.mate !== undefined && place.mate !== query.mate) return false;
  if (query.start && (place.start < query.start.min || place.start > query.start.max)) return false;
  if (query.end && (place.end < query.end.min || place.end > query.end.max)) return false;
  if (query.overlaps) {
    const end = place.mate === undefined ? place.end : place.start + 1;
    if (place.start >= query.overlaps.end || end <= query.overlaps.start) return false;
  }
  return true;
}

function isOfKind(allele: Allele, filter: KindFilter): boolean {
  if (filter.structural !== undefined && filter.structural !== allele.structural) return false;
  return allele.kind === filter.kind || allele.kind.startsWith(`${filter.kind}:`);
}

/** Absent, or a lone N. */
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

/**
 * The kinds that a requested `variantType` covers (case is ignored). SNV is SNP; INDEL is any small insertion or
 * deletion; INS and DEL also cover the small ones; any other word is a structural type as VCF files state it.
 */
export function kindsOf(variantType: string): KindFilter[] {
  const type = variantType.toUpperCase();
  if (type === 'SNV' || type === 'SNP') return [{ kind: 'SNP' }];
  if (type === 'INDEL') {
    return [
      { kind: 'INS', structural: false },
      { kind: 'DEL', structural: false },
    ];
  }
  return [{ kind: type }];
}
