/** Keys by which genes, variants and submitters are compared and counted. */
import { createHash } from 'node:crypto';
import { disorderKey } from '../resources/diseases.js';
import type { GeneTable } from '../resources/genes.js';
import type { Gene, GenomicFeature, Patient, Variant } from './patient.js';

/** What identifies a person is stored as a digest only: it is compared, and never read. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

export function submitterOf(href: string): string {
  return digest(href.toLowerCase());
}

/** The same key for all ids and symbols of a gene. */
export function geneKey({ id }: Gene, genes: GeneTable): string {
  const gene = genes.resolve(id);
  return gene === undefined ? genes.spelling(id) : (gene.ensembl ?? gene.hgnc ?? gene.symbol);
}

/** The same key for the same variant. Its members may be of any type, as other nodes send them. */
export function variantKey({ assembly, referenceName, start, end, referenceBases, alternateBases }: Variant): string {
  const position = [String(assembly).replace(/\.p\d+$/, ''), referenceName === 'M' ? 'MT' : referenceName, start, end];
  return digest([...position, upper(referenceBases), upper(alternateBases)].join(' '));
}

function upper(bases: string | undefined): string {
  return String(bases ?? '').toUpperCase();
}

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
