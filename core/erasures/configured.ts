/** The list of erasures of a configuration. */
import type { Configuration } from '../config.js';
import { createErasureList, type ErasureList } from './list.js';

export function erasureListOf({ core, storage }: Pick<Configuration, 'core' | 'storage'>): ErasureList {
  const named = core.erasures?.file;
  const database = storage.adapter.file?.(storage.settings);
  return createErasureList({
    file: named ?? (database === undefined ? undefined : `${database}.erasures`),
    key: core.erasures?.key,
    isNamed: named !== undefined,
  });
}
