/** Fictitious patients for first steps and for testing clients. */
import { readFile } from 'node:fs/promises';
import { demoOwner, type MatchmakerRepository } from '../contract.js';
import type { Resources } from '../resources/resources.js';
import { type Imported, importPatients } from './list.js';
import type { SavingOptions } from './saving.js';

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
): Promise<Imported> {
  const text = await readFile(demoFile, 'utf8');
  return importPatients({ ...options, afterSave: [] }, JSON.parse(text), {
    owner: demoOwner,
    all: false,
    by: { owner: demoOwner },
  });
}
