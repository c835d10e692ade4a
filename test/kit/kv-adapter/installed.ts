/** An installed Trefoil with the adapter for LevelDB beside it, as `npm install` would put it there. */
import { cpSync, mkdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as Door from '../../../core/storage.js';
import type { Adapter, Storage, StorageLog, TableDeclaration, Tables } from '../../../core/storage.js';
import { type Installed, install, link } from '../../support/installed.js';
import { quiet } from '../../support/storages.js';

export const source = fileURLToPath(new URL('../../support/kv-adapter', import.meta.url));

export function installWithLevel(): Installed & { adapter: string } {
  const installed = install();
  const adapter = join(installed.folder, 'node_modules/@lab/trefoil-level');
  mkdirSync(adapter, { recursive: true });
  cpSync(source, adapter, { recursive: true });
  link(join(installed.folder, 'node_modules'), 'classic-level');
  return { ...installed, adapter };
}

/** What the installed package and the adapter export; one copy of the package, since conditions have symbols. */
export async function loadLevel({ folder, adapter }: ReturnType<typeof installWithLevel>) {
  const load = (...path: string[]) => import(pathToFileURL(join(...path)).href);
  const installed = join(folder, 'node_modules/trefoil/dist');
  const door: typeof Door = await load(installed, 'core/storage.js');
  const level: Adapter<{ folder: string }> = (await load(adapter, 'adapter.js')).default;
  const memory: Adapter<object> = (await load(installed, 'adapters/memory/adapter.js')).default;
  return {
    door,
    level,
    memory,
    load: (file: string) => load(adapter, file),
    folderOf: () => mkdtemp(join(folder, 'level-')),
  };
}

/** An open storage with these tables, and nothing else. */
export async function openTables<Settings>(
  { defineContract, defineStore }: typeof Door,
  adapter: Adapter<Settings>,
  settings: Settings,
  tables: readonly TableDeclaration[],
  log: StorageLog = quiet,
): Promise<{ storage: Storage; tables: Tables }> {
  const contract = defineContract<Tables>('fuzz@1');
  const store = defineStore<Tables>({
    contract,
    tables,
    steps: { '001-fuzz': { tables } },
    repository: (each) => each,
  });
  const stores = new Map([[contract.id, async () => store]]);
  const storage = await adapter.open({ settings, contracts: [contract], bindings: new Map(), stores, log });
  await storage.migrate();
  return { storage, tables: storage.repository(contract) };
}
