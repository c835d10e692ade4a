/** The patient of a query. Nothing of it is stored but the record of what was found: what is empty in it is forgiven. */
import type { FieldFault } from '../../../core/plugin.js';
import { mended } from './mend.js';
import type { Patient } from './patient.js';
import { faultsOf, queriedSchema, querySchema, readPatient, refusal, submittedIn } from './schema.js';

export interface Query {
  patient: Patient;
  /** What was left out of it. */
  warnings: FieldFault[];
  /** A warning about the patient, with the path that it has in what was sent. */
  asSent(warning: FieldFault): FieldFault;
}

/** The patient of a request's body `{"patient": {…}}`; else an `unprocessable` fault with every field that is wrong. */
export function readQuery(body: unknown): Query {
  const sent = submittedIn(body);
  const { patient, warnings, asSent } = mended(sent, 'patient');
  const read = readPatient(patient, 'patient', querySchema);
  if ('faults' in read) throw refusal(read.faults.map(asSent));
  const faults = faultsOf(sent, 'patient', queriedSchema);
  if (faults.length > 0) throw refusal(faults);
  return { patient: read.patient, warnings, asSent };
}
