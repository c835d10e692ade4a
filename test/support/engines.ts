/** The variables that lead a process of ours to a new, empty storage on each SQL engine. */
import { makeDatabase } from './postgres.js';

export interface LedStorage {
  env: Record<string, string>;
  drop(): Promise<void>;
}

export const engines: { name: string; lead(): Promise<LedStorage> }[] = [
  { name: 'sqlite', lead: async () => ({ env: { TREFOIL_SQLITE_FILE: 'trefoil.sqlite' }, drop: async () => {} }) },
  {
    name: 'postgres',
    lead: async () => {
      const { url, drop } = await makeDatabase();
      return { env: { DATABASE_URL: url }, drop };
    },
  },
];
