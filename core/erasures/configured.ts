/** The list of erasures of a configuration. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Configuration } from '../config.js';
import { isWithin } from '../files/roots.js';
import type { ErasureMemory } from './contract.js';
import { createErasureList, type ErasureList } from './list.js';

type Configured = Pick<Configuration, 'core' | 'storage'>;

/** The file of the list; undefined if there is no place for it. */
export function listFileOf({ core, storage }: Configured): string | undefined {
  const named = core.erasures?.file;
  const database = storage.adapter.file?.(storage.settings);
  if (named !== undefined || database === undefined) return named;
  const [own, former] = [besideFolder(database), `${database}.erasures`];
  // Where 0.2 kept it.
  return !wasAt(own) && wasAt(former) ? former : own;
}

/** The key tells of a list that is gone. */
function wasAt(file: string): boolean {
  return existsSync(file) || existsSync(`${file}.key`);
}

/** In a folder of its own beside that of the database: a snapshot of the database's folder does not bring an older list back. */
function besideFolder(database: string): string {
  return join(`${dirname(resolve(database))}-erasures`, `${basename(database)}.erasures`);
}

/**
 * `memory` opens the contract in which the storage knows how far the list went; without it the storage is not asked, and nor is it
 * whether it knows of a list if there is no place for one.
 */
export function erasureListOf(
  configuration: Configured,
  memory?: () => Promise<ErasureMemory>,
  hadList?: () => Promise<boolean>,
): ErasureList {
  return createErasureList({
    file: listFileOf(configuration),
    key: configuration.core.erasures?.key,
    isNamed: configuration.core.erasures?.file !== undefined,
    ...(memory && { memory }),
    ...(hadList && { hadList }),
  });
}

/** Whether the list comes back with a snapshot of the database, in a sentence; undefined if not. */
export function listAdvice(configuration: Configured): string | undefined {
  const { core, storage } = configuration;
  const [file, database] = [listFileOf(configuration), storage.adapter.file?.(storage.settings)];
  if (file === undefined || database === undefined) return undefined;
  const folder = dirname(resolve(database));
  if (!isWithin(folder, resolve(file))) return undefined;
  const remedy =
    core.erasures?.file === undefined
      ? `stop all servers, and move it and ${file}.key to ${dirname(besideFolder(database))}`
      : 'keep it elsewhere';
  return `erasures.file: the list of erasures ${file} is in the folder of the database, so that a snapshot of the folder brings an older list back, and erased people with it: ${remedy}`;
}
