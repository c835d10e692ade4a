/** Lists of patients for import: in the JSON of the Matchmaker Exchange, phenopackets with a contact, and the demo patients. */
import { readFile } from 'node:fs/promises';
import { type FieldFault, hasPackets, packetContent, unusedMembers } from '../../../core/plugin.js';
import { demoOwner, type MatchmakerRepository, type Saved } from '../contract.js';
import type { Resources } from '../resources/resources.js';
import { isRecord, type Patient } from './patient.js';
import { fromPhenopacket, isPhenopacket } from './phenopacket.js';
import { warningsOfPatient } from './presentation.js';
import { patientRefusal, readPatient } from './reading.js';
import { objectingAmong, type SavingOptions, type Submitter, savePatients } from './saving.js';

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
  if (faults.length > 0) throw patientRefusal(faults);
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
  throw patientRefusal([{ path: '', message: 'the body must be a list of patients or of phenopackets' }]);
}

export interface PatientImportResult extends Record<Saved['outcome'], number> {
  /** The first hundred. */
  warnings: FieldFault[];
}

const mostWarnings = 100;

/** Saves all patients of a list, or none, without those who object to sharing: throws what `readPatientList` and `savePatients` throw. */
export async function importPatients(
  options: Omit<SavingOptions, 'genes'> & { resources: Resources },
  body: unknown,
  submitter: Submitter,
  contact?: unknown,
): Promise<PatientImportResult> {
  const { resources, erasures, now } = options;
  const { patients: read, warnings } = readPatientList(body, contact);
  const barred = await objectingAmong(erasures, read, now());
  const patients = read.filter(({ id }) => !barred.has(id));
  const saved = await savePatients({ ...options, genes: () => resources.genes }, patients, submitter);
  const about = read.flatMap((patient, i) => {
    const left = { path: String(i), message: 'objects to being shared, and is not stored' };
    return barred.has(patient.id) ? [left] : warningsOfPatient(patient, resources, String(i));
  });
  const all = [...warnings, ...about];
  const imported: PatientImportResult = { inserted: 0, updated: 0, unchanged: 0, warnings: all.slice(0, mostWarnings) };
  for (const { outcome } of saved) imported[outcome] += 1;
  return imported;
}

// Fictitious patients for first steps and for testing clients.

/** Whether no patient is stored at all. */
export async function wantsDemo(repository: Pick<MatchmakerRepository, 'patients'>): Promise<boolean> {
  return (await repository.patients({ limit: 1 })).length === 0;
}

const demoFile = new URL('../demo/patients.json', import.meta.url);

/** Ids of the demo patients that are stored, changed or not. A patient of another owner with such an id is not one. */
export async function storedDemo(repository: Pick<MatchmakerRepository, 'patientsById'>): Promise<string[]> {
  const demo = JSON.parse(await readFile(demoFile, 'utf8')) as { id: string }[];
  const stored = await repository.patientsById(demo.map(({ id }) => id));
  return stored.filter(({ owner }) => owner === demoOwner).map(({ patient }) => patient.id);
}

/**
 * Adds the demo patients; changes nothing if they are stored already. Throws a `forbidden` fault if a patient of the same id
 * belongs to another owner. They are not sent to other nodes.
 */
export async function addDemo(
  options: Omit<SavingOptions, 'genes' | 'afterSave'> & { resources: Resources },
): Promise<PatientImportResult> {
  const text = await readFile(demoFile, 'utf8');
  return importPatients({ ...options, afterSave: [] }, JSON.parse(text), {
    owner: demoOwner,
    all: false,
    by: { owner: demoOwner },
  });
}
