/** The variables that lead a process of ours to a new storage on each SQL engine. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configure } from '../../core/config.js';
import { contractsIn } from '../../core/start/storage.js';
import type { Contract } from '../../core/storage.js';
import { makeDatabase } from './postgres.js';
import { migratedDatabase, migratedFile } from './storages.js';

export interface LedStorage {
  env: Record<string, string>;
  drop(): Promise<void>;
}

/** A storage with the tables of some contracts, for processes that run in this folder. */
export interface Prepared {
  contracts: readonly Contract[];
  folder: string;
}

/** For processes with a configuration of this name in the folder. */
export async function preparedFor(
  folder: string,
  name: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Prepared> {
  return { contracts: contractsIn(await configure({ file: join(folder, name), environment })), folder };
}

export const engines: { name: string; lead(prepared?: Prepared): Promise<LedStorage> }[] = [
  {
    name: 'sqlite',
    lead: async (prepared) => {
      const file = 'trefoil.sqlite';
      const original = prepared && (await migratedFile(prepared.contracts));
      if (prepared && original !== undefined) await copyFile(original, join(prepared.folder, file));
      return { env: { TREFOIL_SQLITE_FILE: file }, drop: async () => {} };
    },
  },
  {
    name: 'postgres',
    lead: async (prepared) => {
      const { url, drop } = await makeDatabase(prepared && (await migratedDatabase(prepared.contracts)));
      return { env: { DATABASE_URL: url }, drop };
    },
  },
];
