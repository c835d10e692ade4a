/** Imports lists of patients, over HTTP, from files and for the demo. */
import type { FieldFault } from '../../../core/plugin.js';
import type { Saved, Writer } from '../contract.js';
import type { Resources } from '../resources/resources.js';
import { readPatientList } from './list.js';
import { warningsOf } from './present.js';
import { type SavingOptions, savePatients } from './saving.js';

export interface Imported extends Record<Saved['outcome'], number> {
  /** The first hundred. */
  warnings: FieldFault[];
}

const mostWarnings = 100;

/** Saves all patients of a list, or none: throws what `readPatientList` and `savePatients` throw. */
export async function importPatients(
  options: Omit<SavingOptions, 'genes'> & { resources: Resources },
  body: unknown,
  writer: Writer,
  contact?: unknown,
): Promise<Imported> {
  const { resources } = options;
  const { patients, warnings } = readPatientList(body, contact);
  const saved = await savePatients({ ...options, genes: () => resources.genes }, patients, writer);
  const all = [...warnings, ...patients.flatMap((patient, i) => warningsOf(patient, resources, String(i)))];
  const imported: Imported = { inserted: 0, updated: 0, unchanged: 0, warnings: all.slice(0, mostWarnings) };
  for (const { outcome } of saved) imported[outcome] += 1;
  return imported;
}
