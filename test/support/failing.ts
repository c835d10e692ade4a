/** Storages whose n-th call to the engine fails, as when a disk or a connection fails. */
import type { Knex } from 'knex';
import type { Driver } from '../../adapters/knex/driver.js';
import { KnexStorage, loadBindings } from '../../adapters/knex/storage.js';
import { openPostgres } from '../../adapters/postgres/driver.js';
import { settings as postgresSettings } from '../../adapters/postgres/settings.js';
import { openSqlite } from '../../adapters/sqlite/driver.js';
import type { Contract } from '../../core/storage.js';
import { type Home, quiet } from './storages.js';
import { stores } from './stores.js';

/**
 * `refused`: the engine does nothing and reports an error. `lost`: it does the work, and reports an error instead of
 * the result. `gone`: this call and all later ones are refused.
 */
export const trouble = ['refused', 'lost', 'gone'] as const;
export type Trouble = (typeof trouble)[number];

export interface Failing {
  storage: KnexStorage;
  /** Makes the call of this number fail, counted from 1 from now on. */
  failAt(call: number, how: Trouble): void;
  /** Ends the failures. Returns whether any call has failed. */
  recover(): boolean;
}

/** An error of the disk, as the drivers report it. */
const errors = {
  sqlite: () => Object.assign(new Error('SQLITE_IOERR: disk I/O error'), { code: 'SQLITE_IOERR' }),
  postgres: () => Object.assign(new Error('could not read block'), { code: '58030', severity: 'ERROR' }),
};

export async function openFailing({ section }: Home, contracts: readonly Contract[]): Promise<Failing> {
  const isSqlite = section.adapter === 'sqlite';
  const driver = isSqlite
    ? await openSqlite({ file: String(section.file), busyTimeout: 15_000, log: quiet })
    : await openPostgres(postgresSettings.parse({ url: section.url }), quiet);
  let left = Number.POSITIVE_INFINITY;
  let how: Trouble = 'refused';
  let failed = false;
  const call: Call = async (work) => {
    left -= 1;
    if (left > 0 || (left < 0 && how !== 'gone')) return work();
    failed = true;
    if (how === 'lost') await work();
    throw errors[isSqlite ? 'sqlite' : 'postgres']();
  };
  const capabilities = { durable: true, concurrentWriters: true, streams: true };
  return {
    storage: new KnexStorage(
      watched(driver, call),
      await loadBindings({ contracts, bindings: new Map(), stores }),
      quiet,
      capabilities,
    ),
    failAt(number, trouble) {
      [left, how, failed] = [number, trouble, false];
    },
    recover() {
      left = Number.POSITIVE_INFINITY;
      return failed;
    },
  };
}

type Call = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The driver, with `call` around everything sent to the engine except a rollback. */
function watched(driver: Driver, call: Call): Driver {
  const queries = (knex: Knex): Knex => {
    const client = knex.client as { _query(...query: unknown[]): Promise<unknown> };
    const query = client._query.bind(client);
    client._query = (...given) => call(() => query(...given));
    return knex;
  };
  queries(driver.write);
  if (driver.read !== driver.write) queries(driver.read);
  return {
    ...driver,
    engine: { ...driver.engine, append: (...given) => call(() => driver.engine.append(...given)) },
    bind: (connection, over) => queries(driver.bind(connection, over)),
    begin: (...given) => call(() => driver.begin(...given)),
    commit: (...given) => call(() => driver.commit(...given)),
    fetch: (...given) => call(() => driver.fetch(...given)),
  };
}
