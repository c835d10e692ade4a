/** The SQL engines under one roof, so that one body of tests runs on each: `for (const engine of storages) describe(…)`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settings as postgresSettings } from '../../adapters/postgres/settings.js';
import type { Adapter, Capabilities, Contract, OpenRequest, Storage, StorageLog } from '../../core/storage.js';
import { makeDatabase } from './postgres.js';

/** A home for data: a new file in a folder of its own, or a new database. */
export interface Home {
  /** The `storage` section of a configuration that leads here. */
  section: { adapter: string } & Record<string, unknown>;
  /** Opens what is here, as often as one likes; migrates nothing. */
  open(contracts: readonly Contract[], options?: OpenOptions): Promise<Storage>;
  /** Removes everything; close the storages first. */
  discard(): Promise<void>;
}

export interface OpenOptions {
  bindings?: OpenRequest<unknown>['bindings'];
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

/** Fits the conformance kit as a subject. */
export interface StorageEngine {
  name: string;
  adapter: string;
  capabilities: Capabilities;
  home(): Promise<Home>;
  /** A new, empty, migrated storage. */
  open(contracts: readonly Contract[], options?: OpenOptions): Promise<OpenedStorage>;
}

export const quiet: StorageLog = { debug() {}, info() {}, warn() {}, error() {} };

const capabilities: Capabilities = { durable: true, concurrentWriters: true, streams: true };

export const sqlite: StorageEngine = engine('SQLite', 'sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-storage-'));
  const { default: adapter } = await import('../../adapters/sqlite/adapter.js');
  const settings = { file: join(folder, 'trefoil.sqlite'), busyTimeout: 15_000 };
  return homeOf(adapter, settings, { file: settings.file }, () => rm(folder, { recursive: true, force: true }));
});

export const postgres: StorageEngine = engine('PostgreSQL', 'postgres', async () => {
  const { url, drop } = await makeDatabase();
  const { default: adapter } = await import('../../adapters/postgres/adapter.js');
  return homeOf(adapter, postgresSettings.parse({ url }), { url }, drop);
});

export const storages: readonly StorageEngine[] = [sqlite, postgres];

function homeOf<Settings>(
  adapter: Adapter<Settings>,
  settings: Settings,
  section: Record<string, unknown>,
  discard: () => Promise<void>,
): Home {
  return {
    section: { adapter: adapter.name, ...section },
    open: (contracts, { bindings = new Map(), log = quiet } = {}) =>
      adapter.open({ settings, contracts, bindings, log }),
    discard,
  };
}

function engine(name: string, adapter: string, home: () => Promise<Home>): StorageEngine {
  return {
    name,
    adapter,
    capabilities,
    home,
    async open(contracts, options) {
      const made = await home();
      try {
        const storage = await made.open(contracts, options);
        await storage.migrate();
        return {
          storage,
          again: () => made.open(contracts, options),
          discard: made.discard,
          close: async () => {
            await storage.close();
            await made.discard();
          },
        };
      } catch (error) {
        await made.discard();
        throw error;
      }
    },
  };
}
