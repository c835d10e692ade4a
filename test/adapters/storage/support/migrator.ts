/** A process that opens a storage, prints `ready`, and migrates once it reads a line, so that two migrate at once. */
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Adapter } from '../../../../core/storage.js';
import { quiet } from '../../../support/storages.js';
import { stores } from '../../../support/stores.js';
import { migrated, probeOptions } from './probe.js';

const { adapter: name, ...section } = JSON.parse(process.argv[2] ?? '');
const module = new URL(`../../../../adapters/${name}/adapter.js`, import.meta.url);
const { default: adapter } = (await import(module.href)) as { default: Adapter };
const parsed = await adapter.settings['~standard'].validate(section);
if (parsed.issues) throw new Error(`Wrong settings for ${resolve(module.pathname)}`);

process.stdout.write('ready\n');
await once(process.stdin, 'data');
const storage = await adapter.open({
  settings: parsed.value,
  contracts: migrated,
  bindings: probeOptions.bindings ?? new Map(),
  stores,
  log: quiet,
});
const ran = await storage.migrate();
const pending = await storage.pending();
await storage.close();
process.stdout.write(`${JSON.stringify({ ran, pending })}\n`);
process.stdin.destroy();
