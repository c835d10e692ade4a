/**
 * A patient as the Matchmaker Exchange defines it (mme-apis, search-api.md, 1.0 and 1.1), which is what is stored and
 * exchanged; its members beyond the specification; and the keys by which its genes, variants and submitter are compared and
 * counted.
 */
import { createHash } from 'node:crypto';
import type { FieldFault } from '../../../core/plugin.js';
import { disorderKey } from '../resources/diseases.js';
import type { GeneTable } from '../resources/genes.js';

/** Validated by `reading.ts`, otherwise as it was sent. Members beyond the specification are kept. */
export interface Patient {
  /** At most 255 characters; stable, and unique on this node. */
  id: string;
  /** At most 255 characters, without personal data. */
  label?: string;
  contact: Contact;
  /** `NCBITaxon:<n>`; human if omitted. */
  species?: string;
  sex?: Sex;
  /** HPO id of an onset term. */
  ageOfOnset?: string;
  /** HPO id of a mode of inheritance. */
  inheritanceMode?: string;
  disorders?: Disorder[];
  features?: Feature[];
  genomicFeatures?: GenomicFeature[];
  /** A test: it may be matched and returned, but causes no notification. */
  test?: boolean;
  /** `clinical` or `research`: why it is compared. */
  _purpose?: unknown;
  /** The id under which the coverage of its sample is registered here; never shown to other clients and nodes. */
  _sample?: unknown;
  [other: string]: unknown;
}

export const sexes = ['FEMALE', 'MALE', 'OTHER', 'MIXED_SAMPLE', 'NOT_APPLICABLE'] as const;
export type Sex = (typeof sexes)[number];

export interface Contact {
  name: string;
  /** `mailto:`, `http:` or `https:`. A plain e-mail address is stored as `mailto:`. */
  href: string;
  institution?: string;
  email?: string | string[];
  roles?: string[];
  [other: string]: unknown;
}

export interface Disorder {
  /** `MIM:<n>`, `OMIM:<n>`, `Orphanet:<n>`, `ORPHA:<n>`, `MONDO:<n>` or `DECIPHER:<n>`, as sent. */
  id: string;
  label?: string;
  [other: string]: unknown;
}

export interface Feature {
  /** `HP:nnnnnnn`, as sent: it may be obsolete, or missing in the ontology in use. */
  id: string;
  label?: string;
  /** `yes` if omitted. */
  observed?: 'yes' | 'no';
  ageOfOnset?: string;
  [other: string]: unknown;
}

export interface GenomicFeature {
  gene: Gene;
  variant?: Variant;
  /** Copies of the allele: 1 heterozygous or hemizygous, 2 homozygous. */
  zygosity?: number;
  /** Effect, a Sequence Ontology term. */
  type?: { id: string; label?: string; [other: string]: unknown };
  /** HPO id of the mode of inheritance in this gene. */
  _inheritance?: unknown;
  [other: string]: unknown;
}

export interface Gene {
  /** Any id or symbol, as sent: Ensembl, Entrez, HGNC, a current or previous symbol. */
  id: string;
  [other: string]: unknown;
}

/** Zero-based, half-open. Without a start it only states that its gene has some variant. */
export interface Variant {
  /** `NCBI36`, `GRCh37` or `GRCh38`, with or without a patch (`GRCh37.p13`). */
  assembly: string;
  /** 1 to 22, X, Y, M or MT. */
  referenceName: string;
  start?: number;
  end?: number;
  referenceBases?: string;
  alternateBases?: string;
  /** From whom the allele comes. */
  _inheritance?: unknown;
  [other: string]: unknown;
}

// Whether a stored value can still be used as a patient. Incoming patients are validated by `reading.ts`, which explains what
// is wrong.

/** Whether the members that the code relies on exist with their types. */
export function isPatient(value: unknown): value is Patient {
  if (!isRecord(value) || typeof value.id !== 'string') return false;
  const { contact, features, genomicFeatures, disorders } = value;
  if (!isRecord(contact) || typeof contact.name !== 'string' || typeof contact.href !== 'string') return false;
  return isListOf(features, hasId) && isListOf(disorders, hasId) && isListOf(genomicFeatures, isGenomicFeature);
}

/** Whether facts can be counted. */
export function isFacts(value: unknown): value is PatientFacts {
  if (!isRecord(value) || typeof value.submitter !== 'string') return false;
  return [value.genes, value.variants, value.features].every(Array.isArray);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type DefinedMembers<Value> = { [Key in keyof Value]: Exclude<Value[Key], undefined> };

/** A copy without members that are undefined. */
export function definedMembers<Value extends object>(value: Value): DefinedMembers<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as DefinedMembers<Value>;
}

export function hasId(value: unknown): value is { id: string } {
  return isRecord(value) && typeof value.id === 'string';
}

function isGenomicFeature(value: unknown): boolean {
  if (!isRecord(value) || !hasId(value.gene)) return false;
  const { variant } = value;
  if (variant === undefined) return true;
  return isRecord(variant) && typeof variant.assembly === 'string' && typeof variant.referenceName === 'string';
}

/** An omitted list is fine. */
function isListOf(value: unknown, is: (entry: unknown) => boolean): boolean {
  return value === undefined || (Array.isArray(value) && value.every(is));
}

// Members beyond the specification that nodes may exchange, since names that begin with `_` are allowed anywhere. They are
// stored as they are sent; only values of the form below are shown in explanations and sent to other nodes. None is scored.
// `_sample` is for this node alone.

/** Why a patient is compared with others. */
export const purposes = ['clinical', 'research'] as const;
export type Purpose = (typeof purposes)[number];

/** From whom an allele comes. */
export const alleleOrigins = ['de novo', 'maternal', 'paternal', 'biparental', 'inherited', 'unknown'] as const;
export type AlleleOrigin = (typeof alleleOrigins)[number];

export function isPurpose(value: unknown): value is Purpose {
  return purposes.some((purpose) => purpose === value);
}

export function purposeOfPatient({ _purpose: purpose }: Patient): Purpose | undefined {
  return isPurpose(purpose) ? purpose : undefined;
}

export interface Inheritance {
  /** HPO id of the mode of inheritance in this gene. */
  mode?: string;
  /** From whom the allele comes. */
  origin?: AlleleOrigin;
}

/** What a genomic feature states in its `_inheritance` and in that of its variant, as far as it is valid. */
export function inheritanceOfFeature({ _inheritance: mode, variant }: GenomicFeature): Inheritance {
  const origin = variant?._inheritance;
  return {
    ...(isMode(mode) && { mode }),
    ...(isOrigin(origin) && { origin }),
  };
}

function isMode(value: unknown): value is string {
  return typeof value === 'string' && /^HP:\d{7}$/.test(value);
}

function isOrigin(value: unknown): value is AlleleOrigin {
  return alleleOrigins.some((origin) => origin === value);
}

/** Whether it may be the id of a registered sample. */
export function isSample(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= 200 && !/\p{Cc}/u.test(value);
}

/** The patient as others than its owner may see it. */
export function withoutSample(patient: Patient): Patient {
  if (patient._sample === undefined) return patient;
  const { _sample: _, ...shared } = patient;
  return shared;
}

/** What is stored, and neither shown nor sent, by its path. */
export function extensionWarnings({ _purpose, _sample, genomicFeatures = [] }: Patient, path: string): FieldFault[] {
  const warnings: FieldFault[] = [];
  if (_sample !== undefined && !isSample(_sample)) {
    warnings.push({ path: `${path}._sample`, message: 'is not the id of a sample: no sample is linked' });
  }
  if (_purpose !== undefined && !isPurpose(_purpose)) {
    warnings.push({
      path: `${path}._purpose`,
      message: `is not one of ${purposes.join(', ')}: it is not sent to other nodes`,
    });
  }
  for (const [i, { _inheritance: mode, variant }] of genomicFeatures.entries()) {
    const at = `${path}.genomicFeatures.${i}`;
    if (mode !== undefined && !isMode(mode)) {
      const message = 'is not the HPO id of a mode of inheritance: it is not sent to other nodes';
      warnings.push({ path: `${at}._inheritance`, message });
    }
    const origin = variant?._inheritance;
    if (origin !== undefined && !isOrigin(origin)) {
      const message = `is not one of ${alleleOrigins.join(', ')}: it is not sent to other nodes`;
      warnings.push({ path: `${at}.variant._inheritance`, message });
    }
  }
  return warnings;
}

export const sampleRules = ['stated', 'same-id', 'scout-id'] as const;
export type SampleRule = (typeof sampleRules)[number];

/** What the patient states as `_sample`, also if it is not valid; else what follows from its id by the rule. */
export function sampleOfPatient({ id, _sample: stated }: Patient, rule: SampleRule): string | undefined {
  if (stated !== undefined) return isSample(stated) ? stated : undefined;
  if (rule === 'same-id') return isSample(id) ? id : undefined;
  const [, last] = /\.([^.]+)$/.exec(id) ?? [];
  return rule === 'scout-id' && isSample(last) ? last : undefined;
}

// Addresses of submitters.

const address = String.raw`[^\s@,<>"';:?]+@[^\s@,<>"';:?]+\.[^\s@,<>"';:?.]+`;
/** Some clients join several addresses with commas. */
const addresses = new RegExp(`^${address}(?:, ?${address})*$`);

/** Bytes of an address, at most: databases index it. */
export const longestHref = 2048;

/**
 * A contact's address as it is stored: http(s) unchanged, e-mail addresses with `mailto:`. Undefined if the text is neither,
 * or too long.
 */
export function contactHref(text: string): string | undefined {
  if (Buffer.byteLength(text) > longestHref) return undefined;
  if (/^https?:\/\//i.test(text)) return isWebAddress(text) ? text : undefined;
  const mail = /^mailto:/i.test(text) ? text.slice('mailto:'.length) : text;
  const [to = ''] = mail.split('?', 1);
  return addresses.test(to) && !/[\s<>"]/.test(mail.slice(to.length)) ? `mailto:${mail}` : undefined;
}

function isWebAddress(text: string): boolean {
  return !/[\s<>"]/.test(text) && URL.canParse(text) && new URL(text).hostname !== '';
}

// Keys by which genes, variants and submitters are compared and counted.

/** What identifies a person is stored as a digest only: it is compared, and never read. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

export function submitterOfAddress(href: string): string {
  return digest(href.toLowerCase());
}

/** The same key for all ids and symbols of a gene. */
export function geneKey({ id }: Gene, genes: GeneTable): string {
  const gene = genes.resolve(id);
  return gene === undefined ? genes.spelling(id) : (gene.ensembl ?? gene.hgnc ?? gene.symbol);
}

/** The same key for the same variant. Its members may be of any type, as other nodes send them. */
function variantKey({ assembly, referenceName, start, end, referenceBases, alternateBases }: Variant): string {
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
export function contentOfPatient(patient: Patient, genes: GeneTable): string {
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

export function factsOfPatient(patient: Patient, genes: GeneTable): PatientFacts {
  const { disorders = [], features = [], genomicFeatures = [] } = patient;
  const ids = features.map(({ id }) => id);
  return {
    submitter: submitterOfAddress(patient.contact.href),
    diagnosed: disorders.length > 0,
    genes: genomicFeatures.flatMap(({ gene }) => (gene.id.trim() === '' ? [] : [geneKey(gene, genes)])),
    variants: genomicFeatures.flatMap(({ variant }) => (variant === undefined ? [] : [variantKey(variant)])),
    features: ids,
    ...(ids.length === 0 ? {} : { featureSet: digest([...new Set(ids)].sort().join(' ')) }),
  };
}
