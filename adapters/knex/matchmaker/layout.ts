/** How a patient lies in a row of `matchmaker_patients`. */
import type { Patient, PatientFacts, StoredPatient } from '../../../plugins/matchmaker/contract.js';
import type { Engine } from '../binding.js';

export interface PatientRow {
  number: number;
  version: number;
  owner: string;
  created: unknown;
  updated: unknown;
  document: unknown;
}

/** What `storedOf` needs of a row `p`. */
export const patientColumns = ['p.number', 'p.version', 'p.owner', 'p.created', 'p.updated', 'p.document'];

export function storedOf({ values }: Engine, row: PatientRow): StoredPatient {
  return {
    number: row.number,
    version: row.version,
    owner: row.owner,
    created: values.parseTime(row.created),
    updated: values.parseTime(row.updated),
    patient: values.parseJson(row.document) as Patient,
  };
}

/** The columns that follow from a patient's data. */
export function dataOf({ values }: Engine, patient: Patient, facts: PatientFacts, now: Date) {
  return {
    label: patient.label ?? null,
    href: patient.contact.href,
    updated: values.time(now),
    document: values.json(patient),
    facts: values.json(facts),
  };
}
