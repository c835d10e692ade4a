/** The SQL engines behind one interface, to run the same tests on each: `for (const engine of storages) describe(…)` */
import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settings as postgresSettings } from '../../adapters/postgres/settings.js';
import type {
  Adapter,
  Capabilities,
  Contract,
  OpenRequest,
  Storage,
  StorageLog,
  StoreLoaders,
} from '../../core/storage.js';
import type { Pooler } from './pooler.js';
import { copyDatabase, makeDatabase, originalDatabase, type TestDatabase } from './postgres.js';
import { isInstalled } from './programs.js';
import { stores } from './stores.js';

/** A place for data: a new file in a folder of its own, or a new database. */
export interface Home {
  /** The `storage` section of a configuration for this place. */
  section: { adapter: string } & Record<string, unknown>;
  /** Opens this place, any number of times; migrates nothing. */
  open(contracts: readonly Contract[], options?: OpenOptions): Promise<Storage>;
  /** Removes the data; close the storages first. */
  discard(): Promise<void>;
}

export interface OpenOptions {
  bindings?: OpenRequest<unknown>['bindings'];
  /** Besides those of our plugins; for homes. */
  stores?: StoreLoaders;
  log?: StorageLog;
}

export interface OpenedStorage {
  storage: Storage;
  /** Opens the same data once more. */
  again(): Promise<Storage>;
  /** Removes the data, without closing. */
  discard(): Promise<void>;
  /** Closes the storage and removes its data. */
  close(): Promise<void>;
}

/** Can be a subject of the conformance kit. */
export interface StorageEngine {
  name: string;
  adapter: string;
  capabilities: Capabilities;
  /** A new home, empty or with the tables of some contracts: a copy costs a tenth of migrating. */
  home(contracts?: readonly Contract[]): Promise<Home>;
  /** A new, empty, migrated storage. */
  open(contracts: readonly Contract[], options?: OpenOptions): Promise<OpenedStorage>;
}

export const quiet: StorageLog = { debug() {}, info() {}, warn() {}, error() {} };

const capabilities: Capabilities = { durable: true, concurrentWriters: true, streams: true };

async function sqliteHome(original?: string): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-storage-'));
  const { default: adapter } = await import('../../adapters/sqlite/adapter.js');
  const settings = { file: join(folder, 'trefoil.sqlite'), busyTimeout: 15_000 };
  if (original !== undefined) await copyFile(original, settings.file);
  return homeOf(adapter, settings, { file: settings.file }, () => rm(folder, { recursive: true, force: true }));
}

async function postgresHome(original?: TestDatabase): Promise<Home> {
  const { url, drop } = await makeDatabase(original);
  return postgresAt(url, drop);
}

async function postgresAt(url: string, drop: () => Promise<void>): Promise<Home> {
  const { default: adapter } = await import('../../adapters/postgres/adapter.js');
  return homeOf(adapter, postgresSettings.parse({ url }), { url }, drop);
}

/** A copy of what a home has, as a backup; close its storages first. */
export async function copyOf({ section: { adapter, file, url } }: Home): Promise<Home> {
  if (adapter === 'sqlite') return sqliteHome(String(file));
  const copy = await copyDatabase(String(url));
  return postgresAt(copy.url, copy.drop);
}

let pooler: Promise<Pooler> | undefined;

/** A home behind PgBouncer, which is started for the first one and ends with this process. */
async function pooledHome(original?: TestDatabase): Promise<Home> {
  const { url, drop } = await makeDatabase(original);
  pooler ??= import('./pooler.js').then(({ startPooler }) => startPooler(url));
  const { through, release } = await pooler;
  return postgresAt(through(url), async () => {
    await release(url);
    await drop();
  });
}

export const sqlite: StorageEngine = {
  name: 'SQLite',
  adapter: 'sqlite',
  capabilities,
  home: async (contracts) => sqliteHome(contracts && (await migratedFile(contracts))),
  open: async (contracts, options) => openAt(sqliteHome, await migratedFile(contracts, options), contracts, options),
};

function postgresEngine(name: string, home: (original?: TestDatabase) => Promise<Home>): StorageEngine {
  return {
    name,
    adapter: 'postgres',
    capabilities,
    home: async (contracts) => home(contracts && (await migratedDatabase(contracts))),
    open: async (contracts, options) => openAt(home, await migratedDatabase(contracts, options), contracts, options),
  };
}

export const postgres: StorageEngine = postgresEngine('PostgreSQL', postgresHome);

/** PostgreSQL behind PgBouncer in transaction mode; undefined if PgBouncer is not installed. */
export const pooledPostgres: StorageEngine | undefined = isInstalled('pgbouncer')
  ? postgresEngine('PostgreSQL through PgBouncer', pooledHome)
  : undefined;

export const storages: readonly StorageEngine[] = [sqlite, postgres];

/** Homes with the tables of some contracts, to be copied: copying is faster than migrating each. */
const migrated = new Map<string, Promise<TestDatabase | string | undefined>>();

/** The result of `make` for contracts with the adapter's own bindings, made once in this process. */
function once<Original extends TestDatabase | string>(
  engine: string,
  contracts: readonly Contract[],
  options: OpenOptions | undefined,
  make: (key: string) => Promise<Original>,
): Promise<Original | undefined> {
  // Bindings of a test may differ from one test to the next.
  if (options?.bindings) return Promise.resolve(undefined);
  const key = `${engine} ${contracts.map(({ id }) => id).join(' ')}`;
  const known = (migrated.get(key) as Promise<Original> | undefined) ?? make(key);
  migrated.set(key, known);
  return known;
}

/** The database to copy for these contracts. */
export function migratedDatabase(
  contracts: readonly Contract[],
  options?: OpenOptions,
): Promise<TestDatabase | undefined> {
  return once('postgres', contracts, options, (key) =>
    originalDatabase(key, async (url) => {
      const { default: adapter } = await import('../../adapters/postgres/adapter.js');
      // All that follows copies it: on a busy machine it is worth waiting for.
      await migrate(adapter, postgresSettings.parse({ url, connectTimeout: 120_000 }), contracts);
    }),
  );
}

/** The path of an SQLite file with the tables. */
export function migratedFile(contracts: readonly Contract[], options?: OpenOptions): Promise<string | undefined> {
  return once('sqlite', contracts, options, async () => {
    const file = join(originals(), `${migrated.size}.sqlite`);
    const { default: adapter } = await import('../../adapters/sqlite/adapter.js');
    await migrate(adapter, { file, busyTimeout: 15_000 }, contracts);
    return file;
  });
}

let folder: string | undefined;

/** The folder of migrated SQLite files, removed with this process. */
function originals(): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'trefoil-originals-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  return folder;
}

async function migrate<Settings>(
  adapter: Adapter<Settings>,
  settings: Settings,
  contracts: readonly Contract[],
): Promise<void> {
  const storage = await adapter.open({ settings, contracts, bindings: new Map(), stores, log: quiet });
  await storage.migrate();
  await storage.close();
}

function homeOf<Settings>(
  adapter: Adapter<Settings>,
  settings: Settings,
  section: Record<string, unknown>,
  discard: () => Promise<void>,
): Home {
  return {
    section: { adapter: adapter.name, ...section },
    open: (contracts, { bindings = new Map(), stores: further = [], log = quiet } = {}) =>
      adapter.open({ settings, contracts, bindings, stores: new Map([...stores, ...further]), log }),
    discard,
  };
}

async function openAt<Original>(
  homeFrom: (original: Original | undefined) => Promise<Home>,
  migrated: Original | undefined,
  contracts: readonly Contract[],
  options?: OpenOptions,
): Promise<OpenedStorage> {
  const home = await homeFrom(migrated);
  try {
    const storage = await home.open(contracts, options);
    if (migrated === undefined) await storage.migrate();
    return {
      storage,
      again: () => home.open(contracts, options),
      discard: home.discard,
      close: async () => {
        await storage.close();
        await home.discard();
      },
    };
  } catch (error) {
    await home.discard();
    throw error;
  }
}
