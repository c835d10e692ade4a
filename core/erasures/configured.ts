/**
 * The list of erasures of a configuration, and whether it is all that is known of it, which is confirmed before anything is
 * served or erased.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Configuration } from '../config.js';
import { isWithin } from '../files/open.js';
import { type ErasureMemory, erasures } from './contract.js';
import { endOfList } from './file.js';
import { createErasureList, type ErasureList, placeless, unreliableList } from './list.js';

type ListConfiguration = Pick<Configuration, 'core' | 'storage'>;

/** The file of the list; undefined if there is no place for it. */
export function listFileOf({ core, storage }: ListConfiguration): string | undefined {
  const named = core.erasures?.file;
  const database = storage.adapter.file?.(storage.settings);
  if (named !== undefined || database === undefined) return named;
  const [own, former] = [besideFolder(database), `${database}.erasures`];
  // Where 0.2 kept it.
  return !wasAt(own) && wasAt(former) ? former : own;
}

/** The key file proves that there was a list, which is gone. */
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
  configuration: ListConfiguration,
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
export function listAdvice(configuration: ListConfiguration): string | undefined {
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

// Whether the list of erasures is all that is known of it.

/** What entries of the audit about the list are about. */
export const listName = 'list:erasures';

interface ListParts {
  list: ErasureList;
  /** The number of the last line of the list that the audit knows; 0 without an audit. */
  knownToAudit(): Promise<number>;
  /** Contracts with data that the configuration does not use. */
  unclaimed(): Promise<readonly string[]>;
}

/** Throws an `unavailable` fault if the key file, the storage or the audit knows more lines than the list has. */
export async function checkList({ list, knownToAudit, unclaimed }: ListParts): Promise<void> {
  if (list.file === undefined) {
    if (!(await unclaimed()).includes(erasures.id)) return;
    throw placeless();
  }
  // First: the list may grow meanwhile.
  const known = await knownToAudit();
  const { problem, end } = await list.look();
  if (problem !== undefined) throw unreliableList(list.file, problem);
  if (end.number >= known) return;
  throw unreliableList(list.file, `${endOfList(end)}, but the audit knows of ${known}`);
}

/** An event of the audit: a list of 0.2 was taken over. */
interface Takeover {
  action: 'erasures.takeover';
  about: string[];
  because: undefined;
  outcome: 'done';
  detail: { lines: number };
}

/**
 * The same; completes what killed processes began to add, and takes a list of 0.2 over, whose lines are not numbered: the audit
 * has that.
 */
export async function confirmList(
  parts: ListParts & { now(): Date; record(event: Takeover): Promise<void> },
): Promise<void> {
  const { list, now, record } = parts;
  await checkList(parts);
  const { end, isPlain } = await list.look();
  if (!isPlain) return list.settle();
  // First the audit: a process that is killed in between does it again.
  const detail = { lines: end.number };
  await record({ action: 'erasures.takeover', about: [listName], because: undefined, outcome: 'done', detail });
  await list.accept(now(), 0);
}
