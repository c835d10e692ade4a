/** How a patient is stored in a row of `matchmaker_patients`. */
import {
  isFacts,
  isPatient,
  type Patient,
  type PatientFacts,
  type StoredPatient,
} from '../../../plugins/matchmaker/contract.js';
import type { Engine } from '../binding.js';
import { intact, type StoredRows } from '../rows.js';

export interface PatientRow {
  number: number;
  version: number;
  owner: string;
  created: unknown;
  updated: unknown;
  document: unknown;
}

/** The columns that a patient is read from, of a row `p`. */
export const patientColumns = ['p.number', 'p.version', 'p.owner', 'p.created', 'p.updated', 'p.document'];

export const patientRows: StoredRows<PatientRow & { facts?: unknown }, StoredPatient> = {
  table: 'matchmaker_patients',
  key: 'number',
  columns: ['number', 'version', 'owner', 'created', 'updated', 'document', 'facts'],
  read(values, row) {
    const patient = values.parseJson(row.document);
    intact(isPatient(patient));
    intact(row.facts === undefined || isFacts(values.parseJson(row.facts)));
    return {
      number: row.number,
      version: row.version,
      owner: row.owner,
      created: values.parseTime(row.created),
      updated: values.parseTime(row.updated),
      patient,
    };
  },
};

/** The stored facts; undefined if there are none, or if they cannot be read. */
export function factsIn({ values }: Engine, stored: unknown): PatientFacts | undefined {
  if (stored === null) return undefined;
  try {
    const facts = values.parseJson(stored);
    return isFacts(facts) ? facts : undefined;
  } catch {
    return undefined;
  }
}

/** The columns derived from a patient's data. */
export function dataOf({ values }: Engine, patient: Patient, facts: PatientFacts, now: Date) {
  return {
    label: patient.label ?? null,
    href: patient.contact.href,
    updated: values.time(now),
    document: values.json(patient),
    facts: values.json(facts),
  };
}
