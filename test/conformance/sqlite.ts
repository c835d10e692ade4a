/** The SQLite adapter as a subject of the conformance kit: every case has a file of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from '../../adapters/sqlite/adapter.js';
import type { Subject } from '../../core/conformance.js';
import type { Contract, StorageLog } from '../../core/storage.js';

const quiet: StorageLog = { debug() {}, info() {}, warn() {}, error() {} };

export const sqliteSubject: Subject = {
  name: 'SQLite',
  capabilities: sqlite.capabilities,
  async open(contracts: readonly Contract[]) {
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-conformance-'));
    const discard = () => rm(folder, { recursive: true, force: true });
    const again = async () =>
      sqlite.open({
        settings: { file: join(folder, 'test.sqlite'), busyTimeout: 15_000 },
        contracts,
        bindings: new Map(),
        log: quiet,
      });
    try {
      const storage = await again();
      await storage.migrate();
      return { storage, again, discard };
    } catch (error) {
      await discard();
      throw error;
    }
  },
};
