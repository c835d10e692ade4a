/** How a process of ours is led to each SQL engine: by variables alone, to a storage that is new and empty. */
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
