/** The content of a patient regardless of its id, to recognise submissions of the same patient. */

import type { GeneTable } from '../genes/gene-table.js';
import { disorderKey } from '../ontology/diseases.js';
import { digest, geneKey, variantKey } from './keys.js';
import type { GenomicFeature, Patient } from './patient.js';

/**
 * A digest of everything that matching compares. It is the same for a patient as it was sent, as it is stored, and as
 * another node returns it: the order of lists, the spelling of genes and disorders, labels, id and contact do not matter.
 */
export function contentOf(patient: Patient, genes: GeneTable): string {
  const { species = 'NCBITaxon:9606', sex, ageOfOnset, inheritanceMode } = patient;
  const { disorders, features, genomicFeatures } = patient;
  const lists = [
    (features ?? []).map(({ id, observed }) => `${id} ${observed === 'no' ? 'no' : 'yes'}`),
    (disorders ?? []).map(({ id }) => String(disorderKey(id))),
    (genomicFeatures ?? []).map((feature) => genomicContent(feature, genes)),
  ];
  const sorted = lists.map((list) => [...new Set(list)].sort());
  return digest(JSON.stringify([species, sex, ageOfOnset, inheritanceMode, ...sorted]));
}

function genomicContent({ gene, variant, zygosity, type }: GenomicFeature, genes: GeneTable): string {
  // A variant without a start states no more than its gene, and is not sent to other nodes.
  const allele = variant?.start === undefined || variant.start === null ? undefined : variantKey(variant);
  return JSON.stringify([geneKey(gene, genes), allele, zygosity, type?.id]);
}
