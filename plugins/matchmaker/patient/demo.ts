/** Made-up patients for first steps and for tests of clients. */
import { readFile } from 'node:fs/promises';
import type { MatchmakerRepository } from '../contract.js';
import type { Resources } from '../resources/resources.js';
import { type Imported, importPatients } from './import.js';
import type { SavingOptions } from './saving.js';

/** To whom they belong. */
export const demoOwner = 'demo';

/** True where no patient is stored at all. */
export async function wantsDemo(repository: Pick<MatchmakerRepository, 'patients'>): Promise<boolean> {
  return (await repository.patients({ limit: 1 })).length === 0;
}

const demoFile = new URL('../demo/patients.json', import.meta.url);

/** Their ids, stored or not. */
async function demoIds(): Promise<string[]> {
  const patients = JSON.parse(await readFile(demoFile, 'utf8')) as { id: string }[];
  return patients.map(({ id }) => id);
}

/** Ids of those that are stored: of the demo's ids the ones that belong to its owner, also if they were changed. */
export async function storedDemo(repository: Pick<MatchmakerRepository, 'patientsById'>): Promise<string[]> {
  const stored = await repository.patientsById(await demoIds());
  return stored.filter(({ owner }) => owner === demoOwner).map(({ patient }) => patient.id);
}

/**
 * Adds the demo patients beside what is there; once they are there it changes nothing. A `forbidden` fault where a
 * patient of the same id belongs to somebody else. Other nodes hear nothing of them.
 */
export async function addDemo(
  options: Omit<SavingOptions, 'genes' | 'afterSave'> & { resources: Resources },
): Promise<Imported> {
  const text = await readFile(demoFile, 'utf8');
  return importPatients({ ...options, afterSave: [] }, JSON.parse(text), { owner: demoOwner, all: false });
}
