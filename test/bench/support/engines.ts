/** The engines that a bench measures. */
import type { Contract, Storage } from '../../../core/storage.js';
import { storages } from '../../support/storages.js';

/** Those that `--engines=sqlite,postgres` names; all if it is not given. */
export function chosenStorages({ engines }: Readonly<Record<string, string>>): typeof storages {
  const wanted = engines?.toLowerCase().split(',');
  return storages.filter(
    ({ adapter, name }) => wanted === undefined || wanted.includes(adapter) || wanted.includes(name.toLowerCase()),
  );
}

/** Opens an empty storage on each of them in turn. */
export async function onEachEngine(
  options: Readonly<Record<string, string>>,
  contracts: readonly Contract[],
  work: (storage: Storage, name: string) => Promise<void>,
): Promise<void> {
  for (const engine of chosenStorages(options)) {
    const { storage, close } = await engine.open(contracts);
    try {
      await work(storage, engine.name);
    } finally {
      await close();
    }
  }
}
