/** The variables that lead a process of ours to a new storage on each SQL engine. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
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
