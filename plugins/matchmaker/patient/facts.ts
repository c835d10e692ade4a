/** What is counted of a patient, for metrics. */
import type { GeneTable } from '../genes/gene-table.js';
import { digest, geneKey, submitterOf, variantKey } from './keys.js';
import type { Patient } from './patient.js';

export interface PatientFacts {
  /** A digest of the contact's address. */
  submitter: string;
  /** Whether the patient has a disorder. */
  diagnosed: boolean;
  /** One entry for each genomic feature with a gene: features of one gene have one key. */
  genes: readonly string[];
  /** One entry for each genomic feature with a variant: the same variant has the same key. */
  variants: readonly string[];
  /** One entry for each feature, those with `observed: no` included. */
  features: readonly string[];
  /** A digest of the set of features; undefined if there are none. */
  featureSet?: string;
}

export function factsOf(patient: Patient, genes: GeneTable): PatientFacts {
  const { disorders = [], features = [], genomicFeatures = [] } = patient;
  const ids = features.map(({ id }) => id);
  return {
    submitter: submitterOf(patient.contact.href),
    diagnosed: disorders.length > 0,
    genes: genomicFeatures.flatMap(({ gene }) => (gene.id.trim() === '' ? [] : [geneKey(gene, genes)])),
    variants: genomicFeatures.flatMap(({ variant }) => (variant === undefined ? [] : [variantKey(variant)])),
    features: ids,
    ...(ids.length === 0 ? {} : { featureSet: digest([...new Set(ids)].sort().join(' ')) }),
  };
}
