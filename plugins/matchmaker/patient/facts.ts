/** What is counted of a patient. */
import { createHash } from 'node:crypto';
import type { GeneTable } from '../genes/gene-table.js';
import type { Gene, Patient, Variant } from './patient.js';

export interface PatientFacts {
  /** Stands for the contact's address. */
  submitter: string;
  /** Whether a disorder is named. */
  diagnosed: boolean;
  /** One entry for each genomic feature with a gene: features of one gene have one key. */
  genes: readonly string[];
  /** One entry for each genomic feature with a variant: the same variant has the same key. */
  variants: readonly string[];
  /** One entry for each feature, excluded ones included. */
  features: readonly string[];
  /** Stands for the set of features; undefined where there is none. */
  featureSet?: string;
}

/** What says something of a person is kept as a digest only: it is compared and never read. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
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

export function submitterOf(href: string): string {
  return digest(href.toLowerCase());
}

/** One key for all ids and symbols of a gene. */
export function geneKey({ id }: Gene, genes: GeneTable): string {
  const gene = genes.resolve(id);
  return gene === undefined ? genes.spelling(id) : (gene.ensembl ?? gene.hgnc ?? gene.symbol);
}

/** Also of what another node answered, whose members may be of any kind. */
export function variantKey({ assembly, referenceName, start, end, referenceBases, alternateBases }: Variant): string {
  const place = [String(assembly).replace(/\.p\d+$/, ''), referenceName === 'M' ? 'MT' : referenceName, start, end];
  return digest([...place, upper(referenceBases), upper(alternateBases)].join(' '));
}

function upper(bases: string | undefined): string {
  return String(bases ?? '').toUpperCase();
}
