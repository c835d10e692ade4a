/**
 * A storage adapter for Trefoil on LevelDB, an ordered key-value store in one folder:
 *
 *     storage: { adapter: '@lab/trefoil-level', folder: data/level }
 *
 * storage.js has the transactions, view.js the reads and writes of bindings, contracts/ one binding each.
 */
import { resolve } from 'node:path';
import { defineAdapter, Fault } from 'trefoil/storage';
import { z } from 'zod';
import { openStorage } from './storage.js';

/** Only one process can open LevelDB, and an import is gathered in memory before it is written. */
const capabilities = { durable: true };

/** By contract; loaded only if the contract is requested. */
const bindings = new Map([
  ['audit@1', () => import('./contracts/audit.js')],
  ['tokens@1', () => import('./contracts/tokens.js')],
  ['erasures@1', () => import('./contracts/erasures.js')],
  ['sessions@1', () => import('./contracts/sessions.js')],
  ['jobs@1', () => import('./contracts/jobs.js')],
  ['beacon@1', () => import('./contracts/beacon.js')],
  ['beacon-genes@1', () => import('./contracts/genes.js')],
  ['beacon-protection@1', () => import('./contracts/beacon-protection.js')],
  ['coverage-samples@1', () => import('./contracts/coverage-samples.js')],
  ['coverage-tracks@1', () => import('./contracts/coverage-tracks.js')],
  ['coverage-cohorts@1', () => import('./contracts/coverage-cohorts.js')],
  ['coverage-sites@1', () => import('./contracts/coverage-sites.js')],
  ['coverage-reports@1', () => import('./contracts/coverage-reports.js')],
  ['matchmaker-triage@1', () => import('./contracts/matchmaker-triage.js')],
  ['panels@1', () => import('./contracts/panels.js')],
]);

export default defineAdapter({
  name: 'level',
  family: 'level',
  capabilities,
  settings: z.strictObject({ folder: z.string().min(1) }),
  migratesItself: true,
  environment: { variables: { TREFOIL_LEVEL_FOLDER: 'folder' } },
  describe: ({ folder }) => `LevelDB folder ${folder}`,
  async open({ settings, contracts, bindings: brought, log }) {
    const loaded = new Map();
    const missing = [];
    for (const { id } of contracts) {
      // A binding that a plugin provides for this family takes precedence.
      const module = await (brought.get(id) ?? bindings.get(id))?.();
      const repository = module?.default ?? module;
      if (typeof repository === 'function') loaded.set(id, repository);
      else missing.push(id);
    }
    if (missing.length > 0) throw new Fault('unprocessable', `LevelDB cannot fulfil ${missing.join(', ')}`);
    return openStorage(resolve(settings.folder), capabilities, loaded, log);
  },
});
