/**
 * Whether a stored value can still be used as a patient. Incoming patients are validated by `schema.ts`, which explains what
 * is wrong.
 */
import type { PatientFacts } from './keys.js';
import type { Patient } from './patient.js';

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
