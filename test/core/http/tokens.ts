/** A real storage for tokens: SQLite in a temporary folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from '../../../adapters/sqlite/adapter.js';
import { type TokenRepository, tokens } from '../../../core/auth/contract.js';

export interface TokenStore {
  repository: TokenRepository;
  close(): Promise<void>;
}

export async function tokenStore(): Promise<TokenStore> {
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-http-'));
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const storage = await sqlite.open({
    settings: { file: join(folder, 'tokens.sqlite'), busyTimeout: 5000 },
    contracts: [tokens],
    bindings: new Map(),
    log: silent,
  });
  await storage.migrate();
  return {
    repository: storage.repository(tokens),
    async close() {
      await storage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
