/** The older form of a variation, which every client reads (`LegacyVariation`). */
import { type Allele, type Assembly, type Bounds, stretchesOf, trimmed } from '../../../contract.js';
import { withoutAnchor } from '../../../domain/replaced.js';
import { locationOf, type VrsLocation } from '../../../domain/vrs.js';

export interface LegacyVariation {
  variantType: string;
  referenceBases?: string;
  /** Empty for deletions; `N` for what is not written out. */
  alternateBases: string;
  location: VrsLocation;
}

const written = /^[ACGTN]+$/;

/**
 * The location is what the allele replaces, without bases that reference and alternate share: an insertion is between two bases.
 * Ends that the record leaves open are ranges.
 */
export function legacyVariation(assembly: Assembly, allele: Allele): LegacyVariation {
  const { contig, kind, reference, alternate, mate, start } = allele;
  if (mate !== undefined || !(written.test(alternate) || alternate.startsWith('<'))) {
    const location = locationOf(assembly, contig, {
      start,
      end: start + 1,
      startRange: widenedBy(allele.startRange, 0),
    });
    return { variantType: kind, referenceBases: reference, alternateBases: 'N', location };
  }
  if (written.test(alternate)) {
    const bare = withoutAnchor(trimmed(allele));
    const location = locationOf(assembly, contig, bare);
    return { variantType: kind, referenceBases: bare.reference, alternateBases: bare.alternate, location };
  }
  const stretch = stretchesOf(allele).at(-1) ?? allele;
  const interval = {
    ...stretch,
    startRange: widenedBy(allele.startRange, stretch.start - start),
    endRange: widenedBy(allele.endRange, 0),
  };
  const location = locationOf(assembly, contig, interval);
  return { variantType: kind, alternateBases: /^DEL(:|$)/.test(kind) ? '' : 'N', location };
}

/** A range of a position, moved; none if it has one position. */
function widenedBy(range: Bounds | undefined, shift: number): Bounds | undefined {
  if (!range || range.min === range.max) return undefined;
  return { min: range.min + shift, max: range.max + shift };
}
