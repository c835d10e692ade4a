/** Imports lists of patients, over HTTP, from files and for the demo. */
import type { FieldFault } from '../../../core/plugin.js';
import type { Saved } from '../contract.js';
import type { Resources } from '../resources/resources.js';
import { readPatientList } from './list.js';
import { warningsOf } from './present.js';
import { objectingAmong, type SavingOptions, type Submitter, savePatients } from './saving.js';

export interface Imported extends Record<Saved['outcome'], number> {
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
): Promise<Imported> {
  const { resources, erasures, now } = options;
  const { patients: read, warnings } = readPatientList(body, contact);
  const barred = await objectingAmong(erasures, read, now());
  const patients = read.filter(({ id }) => !barred.has(id));
  const saved = await savePatients({ ...options, genes: () => resources.genes }, patients, submitter);
  const about = read.flatMap((patient, i) => {
    const left = { path: String(i), message: 'objects to being shared, and is not stored' };
    return barred.has(patient.id) ? [left] : warningsOf(patient, resources, String(i));
  });
  const all = [...warnings, ...about];
  const imported: Imported = { inserted: 0, updated: 0, unchanged: 0, warnings: all.slice(0, mostWarnings) };
  for (const { outcome } of saved) imported[outcome] += 1;
  return imported;
}
