/** Lists of patients for import: in the JSON of the Matchmaker Exchange, or phenopackets with a contact. */
import { type FieldFault, hasPackets, packetContent, unusedMembers } from '../../../core/plugin.js';
import type { Patient } from './patient.js';
import { fromPhenopacket, isPhenopacket } from './phenopacket.js';
import { readPatient, refusal } from './schema.js';
import { isRecord } from './shape.js';

export interface PatientList {
  patients: Patient[];
  warnings: FieldFault[];
}

/**
 * Reads `[…]`, `{ "patients": […] }`, `{ "phenopackets": […] }`, or a single patient or phenopacket. In place of a phenopacket
 * there may be a Family, of which the proband is read, a Cohort, or an Interpretation of version 1. Entries may be wrapped
 * as `{ "patient": {…} }`. Those without a contact, such as phenopackets, get the `contact` beside the list, else the given
 * one. Throws an `unprocessable` fault that names every wrong field by its path, such as `3.features.0.id`.
 */
export function readPatientList(body: unknown, givenContact?: unknown): PatientList {
  const { entries, contact = givenContact, path } = entriesOf(body);
  const faults: FieldFault[] = [];
  const list: PatientList = { patients: [], warnings: [] };
  const seen = new Map<string, string>();
  const placed = entries.flatMap((entry, i) =>
    membersOf(entry, path === '' ? String(i) : `${path}.${i}`, list.warnings),
  );
  for (const { entry, at } of placed) {
    const { value, warnings } = unwrapped(entry, contact, at);
    const read = readPatient(value, at);
    if ('faults' in read) {
      faults.push(...read.faults);
      continue;
    }
    const { id } = read.patient;
    const first = seen.get(id);
    if (first !== undefined) faults.push({ path: `${at}.id`, message: `is also the id of entry ${first}` });
    seen.set(id, at);
    list.patients.push(read.patient);
    list.warnings.push(...warnings);
  }
  if (faults.length > 0) throw refusal(faults);
  return list;
}

/** The phenopackets of the patients of what contains them; any other entry itself. */
function membersOf(entry: unknown, at: string, warnings: FieldFault[]): { entry: unknown; at: string }[] {
  if (!hasPackets(entry)) return [{ entry, at }];
  const { packets, rest, pedigree } = packetContent(entry);
  const patients = packets.filter(({ isRelative }) => !isRelative);
  if (patients.length < packets.length) {
    warnings.push({ path: `${at}.relatives`, message: 'are not imported: only the proband of a family is' });
  }
  const unused = unusedMembers({ ...rest, pedigree }, { id: true, description: true, metaData: true });
  if (unused.size > 0) {
    warnings.push({ path: at, message: `has members that are not imported: ${[...unused].join(', ')}` });
  }
  return patients.map(({ packet, place }) => ({ entry: packet, at: [at, ...place].join('.') }));
}

function unwrapped(entry: unknown, contact: unknown, path: string): { value: unknown; warnings: FieldFault[] } {
  if (isPhenopacket(entry)) {
    const { patient, warnings } = fromPhenopacket(entry, contact, path);
    return { value: patient, warnings };
  }
  const value = isRecord(entry) && isRecord(entry.patient) ? entry.patient : entry;
  const own = isRecord(value) && value.contact === undefined && contact !== undefined ? { ...value, contact } : value;
  return { value: own, warnings: [] };
}

function entriesOf(body: unknown): { entries: unknown[]; contact?: unknown; path: string } {
  if (Array.isArray(body)) return { entries: body, path: '' };
  if (isRecord(body)) {
    const { contact } = body;
    for (const path of ['patients', 'phenopackets']) {
      const entries = body[path];
      if (Array.isArray(entries)) return { entries, path, ...(contact === undefined ? {} : { contact }) };
    }
    if (isPhenopacket(body) || hasPackets(body) || isRecord(body.patient) || 'id' in body)
      return { entries: [body], path: '' };
  }
  throw refusal([{ path: '', message: 'the body must be a list of patients or of phenopackets' }]);
}
