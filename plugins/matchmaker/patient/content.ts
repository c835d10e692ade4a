/** What a patient is, whatever it is called: for telling whether two submissions say the same. */

import type { GeneTable } from '../genes/gene-table.js';
import { disorderKey } from './disorder.js';
import { digest, geneKey, variantKey } from './facts.js';
import type { GenomicFeature, Patient } from './patient.js';

/**
 * A digest of everything that matching compares. The same for a patient as it was sent, as it is stored, and as another
 * node shows it: the order of lists, the spelling of genes and disorders, labels, id and contact do not count.
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
  // A variant without a start says no more than its gene, and does not travel between nodes.
  const place = variant?.start === undefined || variant.start === null ? undefined : variantKey(variant);
  return JSON.stringify([geneKey(gene, genes), place, zygosity, type?.id]);
}
