/** The engines that a bench measures. */
import type { Contract, Storage } from '../../../core/storage.js';
import { type Home, pooledPostgres, storages } from '../../support/storages.js';

/** Those that `--engines=sqlite,postgres,pgbouncer` names, the last being PostgreSQL through PgBouncer; the first two if omitted. */
export function chosenStorages({ engines }: Readonly<Record<string, string>>): typeof storages {
  const wanted = engines?.toLowerCase().split(',');
  const pooled = pooledPostgres !== undefined && wanted?.includes('pgbouncer') ? [pooledPostgres] : [];
  const direct = storages.filter(
    ({ adapter, name }) => wanted === undefined || wanted.includes(adapter) || wanted.includes(name.toLowerCase()),
  );
  return [...direct, ...pooled];
}

/**
 * On each of them in turn: fills an empty storage, closes it, and works with the section of the configuration that opens it again, for
 * servers of their own processes.
 */
export async function onEachHome(
  options: Readonly<Record<string, string>>,
  contracts: readonly Contract[],
  fill: (storage: Storage, name: string) => Promise<void>,
  work: (section: Home['section'], home: Home) => Promise<void>,
): Promise<void> {
  for (const engine of chosenStorages(options)) {
    const home = await engine.home();
    try {
      const storage = await home.open(contracts);
      try {
        await storage.migrate();
        await fill(storage, engine.name);
      } finally {
        await storage.close();
      }
      await work(home.section, home);
    } finally {
      await home.discard();
    }
  }
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
