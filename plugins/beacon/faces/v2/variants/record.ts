/**
 * A variant as a record of Beacon v2 (genomicVariations/defaultSchema.json): in the older form that every client reads, or in
 * that of VRS 1.3, with its genomic HGVS description if the record alone determines it.
 */
import { accessionOf } from '../../../../../core/genome.js';
import { type Allele, type Assembly, type Bounds, isPlain, stretchesOf, trimmed } from '../../../contract.js';
import { withoutAnchor } from '../../../domain/matching.js';
import type { EntryRecord } from '../framework/entry-type.js';
import { locationOf, type VrsAllele, type VrsLocation, variantIdOf, vrsAllele } from './ids.js';

export type VariantForm = 'legacy' | 'vrs';

interface VariantMore {
  frequencyInPopulations?: readonly object[] | undefined;
  caseLevelData?: readonly object[] | undefined;
}

/**
 * `vrs` is for alleles that are written out as bases; others have the older form, which alone can say what is known of them. The id
 * of the record stands twice: clients fill in the addresses of the map with `id`.
 */
export function variantRecord(assembly: Assembly, allele: Allele, form: VariantForm, more: VariantMore): EntryRecord {
  const id = variantIdOf(assembly, allele);
  const genomicHGVSId = genomicHgvs(assembly, allele);
  const details = detailsOf(allele);
  return {
    id,
    variantInternalId: id,
    variation:
      form === 'vrs' && isSequence(allele) ? molecularVariation(assembly, allele) : legacyVariation(assembly, allele),
    ...(genomicHGVSId !== undefined && { identifiers: { genomicHGVSId } }),
    ...(more.frequencyInPopulations && { frequencyInPopulations: more.frequencyInPopulations }),
    ...(more.caseLevelData && { caseLevelData: more.caseLevelData }),
    ...(details && { info: details }),
  };
}

export type { LegacyVariation };

/** What the forms of variations have no place for. */
function detailsOf({ mate, end, alternate, length }: Allele): Record<string, unknown> | undefined {
  const bracket = alternate.search(/[[\]]/);
  if (mate !== undefined && bracket >= 0) {
    // VCF 4.3 §5.4: the bracket shows which side of the mate is joined, its place which side of this end.
    const orientation = { here: bracket > 0 ? 'left' : 'right', mate: alternate[bracket] === ']' ? 'left' : 'right' };
    return { mate: { referenceName: mate, position: end, orientation }, vcfAlt: alternate };
  }
  if (length !== undefined) return { svlen: length };
  return undefined;
}

// The older form of a variation, which every client reads (`LegacyVariation`).

interface LegacyVariation {
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
function legacyVariation(assembly: Assembly, allele: Allele): LegacyVariation {
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

// The form of VRS 1.3 (`MolecularVariation`).

/** Whether the allele is written out as bases. */
function isSequence({ reference, alternate, mate }: Allele): boolean {
  return mate === undefined && isPlain(reference) && isPlain(alternate);
}

function molecularVariation(assembly: Assembly, allele: Allele): VrsAllele {
  const { contig, start, end, reference, alternate } = withoutAnchor(trimmed(allele));
  return vrsAllele({ assembly, contig, start, end, reference, alternate });
}

// The genomic HGVS description of an allele, where the record alone decides it.

const complements: Readonly<Record<string, string>> = { A: 'T', C: 'G', G: 'C', T: 'A' };

/**
 * Of substitutions, and of as many bases in the place of others. Undefined for insertions and deletions, which HGVS places as far to
 * the right as the reference sequence allows, and for inversions, which it describes in other words.
 */
function genomicHgvs(
  assembly: Assembly,
  { contig, start, end, reference, alternate, structural }: Allele,
): string | undefined {
  if (structural || reference.length !== alternate.length || !/^[ACGT]+$/.test(reference + alternate)) return undefined;
  const place = `${accessionOf(assembly, contig)}:${contig === 'MT' ? 'm' : 'g'}.${start + 1}`;
  if (reference.length === 1) return `${place}${reference}>${alternate}`;
  const inverted = [...reference].reverse().map((base) => complements[base]).join(''); // biome-ignore format: one
  return inverted === alternate ? undefined : `${place}_${end}delins${alternate}`;
}
