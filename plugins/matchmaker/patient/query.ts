/** The patient of a query. Only the record of what was found is stored, so that empty members are tolerated. */
import type { FieldFault } from '../../../core/plugin.js';
import { mended } from './mend.js';
import type { Patient } from './patient.js';
import { faultsOf, queriedSchema, querySchema, readPatient, refusal, submittedIn } from './schema.js';

export interface Query {
  patient: Patient;
  /** What was ignored. */
  warnings: FieldFault[];
  /** The same warning with its path in what was sent: entries that were left out shift those after them. */
  asSent(warning: FieldFault): FieldFault;
}

/** The patient of a request's body `{"patient": {…}}`. Throws an `unprocessable` fault that names every wrong field. */
export function readQuery(body: unknown): Query {
  const sent = submittedIn(body);
  const { patient, warnings, asSent } = mended(sent, 'patient');
  const read = readPatient(patient, 'patient', querySchema);
  if ('faults' in read) throw refusal(read.faults.map(asSent));
  const faults = faultsOf(sent, 'patient', queriedSchema);
  if (faults.length > 0) throw refusal(faults);
  return { patient: read.patient, warnings, asSent };
}
