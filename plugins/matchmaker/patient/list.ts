/** Lists of patients as they are imported: the exchange's JSON, or phenopackets with a contact. */
import type { FieldFault } from '../../../core/plugin.js';
import type { Patient } from './patient.js';
import { fromPhenopacket, isPhenopacket } from './phenopacket.js';
import { readPatient, refusal } from './schema.js';

export interface PatientList {
  patients: Patient[];
  warnings: FieldFault[];
}

/**
 * Reads `[…]` or `{ "patients": […] }` or `{ "phenopackets": […] }`, also a single one of either, the last two with a
 * `contact` that phenopackets and patients without their own get. Entries may be wrapped as `{ "patient": {…} }`. Throws one
 * `unprocessable` fault that names every wrong field by its path, such as `3.features.0.id`.
 */
export function readPatientList(body: unknown, givenContact?: unknown): PatientList {
  const { entries, contact = givenContact, path } = entriesOf(body);
  const faults: FieldFault[] = [];
  const list: PatientList = { patients: [], warnings: [] };
  const seen = new Map<string, string>();
  for (const [i, entry] of entries.entries()) {
    const at = [path, String(i)].filter((part) => part !== '').join('.');
    const { value, warnings } = unwrapped(entry, contact, at);
    const read = readPatient(value, at);
    if ('faults' in read) {
      faults.push(...read.faults);
      continue;
    }
    const { id } = read.patient;
    const first = seen.get(id);
    if (first !== undefined) faults.push({ path: `${at}.id`, message: `is that of ${first} too` });
    seen.set(id, at);
    list.patients.push(read.patient);
    list.warnings.push(...warnings);
  }
  if (faults.length > 0) throw refusal(faults);
  return list;
}

function unwrapped(entry: unknown, contact: unknown, path: string): { value: unknown; warnings: FieldFault[] } {
  if (isPhenopacket(entry)) {
    const { patient, warnings } = fromPhenopacket(entry, contact, path);
    return { value: patient, warnings };
  }
  const value = isObject(entry) && isObject(entry.patient) ? entry.patient : entry;
  const own = isObject(value) && value.contact === undefined && contact !== undefined ? { ...value, contact } : value;
  return { value: own, warnings: [] };
}

function entriesOf(body: unknown): { entries: unknown[]; contact?: unknown; path: string } {
  if (Array.isArray(body)) return { entries: body, path: '' };
  if (isObject(body)) {
    const { contact } = body;
    for (const path of ['patients', 'phenopackets']) {
      const entries = body[path];
      if (Array.isArray(entries)) return { entries, path, ...(contact === undefined ? {} : { contact }) };
    }
    if (isPhenopacket(body) || isObject(body.patient) || 'id' in body) return { entries: [body], path: '' };
  }
  throw refusal([{ path: '', message: 'the body is neither a list of patients nor one of phenopackets' }]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
