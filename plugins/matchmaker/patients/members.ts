/** Members of a patient: whether a stored value is a patient, members beyond the specification, and addresses of submitters. */
import type { FieldFault } from '../../../core/plugin.js';
import type { PatientFacts } from './keys.js';
import type { GenomicFeature, Patient } from './patient.js';

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

export function purposeOf({ _purpose: purpose }: Patient): Purpose | undefined {
  return isPurpose(purpose) ? purpose : undefined;
}

export interface Inheritance {
  /** HPO id of the mode of inheritance in this gene. */
  mode?: string;
  /** From whom the allele comes. */
  origin?: AlleleOrigin;
}

/** What a genomic feature states in its `_inheritance` and in that of its variant, as far as it is valid. */
export function inheritanceOf({ _inheritance: mode, variant }: GenomicFeature): Inheritance {
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
export function sampleOf({ id, _sample: stated }: Patient, rule: SampleRule): string | undefined {
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
