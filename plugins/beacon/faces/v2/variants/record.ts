/** A variant as a record of Beacon v2 (genomicVariations/defaultSchema.json). */
import type { Allele, Assembly } from '../../../contract.js';
import { variantIdOf } from '../../../domain/variant-id.js';
import type { EntryRecord } from '../framework/entry-type.js';
import { genomicHgvs } from './hgvs.js';
import { type LegacyVariation, legacyVariation } from './legacy.js';
import { isSequence, molecularVariation } from './molecular.js';

export type VariantForm = 'legacy' | 'vrs';

export interface VariantMore {
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
