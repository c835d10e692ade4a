/**
 * The `memory` adapter: storage without a database, lost when the process ends. It is the worked example for authors of
 * adapters, and passes the conformance kit like any other. An adapter consists of
 *
 * - this file: the adapter's name, capabilities and settings, and how it finds bindings;
 * - storage.ts: transactions, opening and closing;
 * - one file per contract that it fulfils (`<contract name>.ts`): its *binding*.
 */
import { z } from 'zod';
import { type Capabilities, type Contract, defineAdapter, Fault, type OpenRequest } from '../../core/storage.js';
import type { Binding } from './binding.js';
import { MemoryStorage } from './storage.js';

/** Neither durable nor shared between processes, and everything is held in memory: no capability is declared. */
const capabilities: Capabilities = {};

/** Our own bindings, by contract. Each is loaded only if its contract is requested. */
const bindings: ReadonlyMap<string, () => Promise<unknown>> = new Map<string, () => Promise<unknown>>([
  ['audit@1', () => import('./audit.js')],
  ['erasures@1', () => import('./erasures.js')],
  ['jobs@1', () => import('./jobs.js')],
  ['tokens@1', () => import('./tokens.js')],
  ['sessions@1', () => import('./sessions.js')],
  ['beacon@1', () => import('./beacon.js')],
  ['beacon-genes@1', () => import('./beacon-genes.js')],
  ['beacon-protection@1', () => import('./beacon-protection.js')],
  ['coverage-samples@1', () => import('./coverage-samples.js')],
  ['coverage-tracks@1', () => import('./coverage-tracks.js')],
  ['coverage-cohorts@1', () => import('./coverage-cohorts.js')],
  ['coverage-sites@1', () => import('./coverage-sites.js')],
  ['coverage-reports@1', () => import('./coverage-reports.js')],
  ['matchmaker-resources@1', () => import('./matchmaker-resources.js')],
  ['matchmaker-triage@1', () => import('./matchmaker-triage.js')],
  ['panels@1', () => import('./panels.js')],
]);

const settings = z.strictObject({});

export default defineAdapter({
  name: 'memory',
  family: 'memory',
  capabilities,
  settings,
  migratesItself: true,
  describe: () => 'memory of this process; nothing is kept',
  open: async (request: OpenRequest<z.infer<typeof settings>>) =>
    new MemoryStorage(capabilities, await load(request.contracts, request.bindings)),
});

/** The bindings for the contracts, a plugin's own first. All missing ones are named in one fault. */
async function load(contracts: readonly Contract[], brought: OpenRequest<unknown>['bindings']): Promise<Binding[]> {
  const loaded: Binding[] = [];
  const missing: string[] = [];
  for (const { id } of contracts) {
    const binding = bindingIn(await (brought.get(id) ?? bindings.get(id))?.());
    if (binding?.contract.id === id) loaded.push(binding);
    else missing.push(id);
  }
  if (missing.length > 0) throw new Fault('unprocessable', `The memory adapter cannot fulfil ${missing.join(', ')}`);
  return loaded;
}

/** A module's default export, or the binding itself. */
function bindingIn(loaded: unknown): Binding | undefined {
  if (typeof loaded !== 'object' || loaded === null) return undefined;
  const { default: binding = loaded } = loaded as { default?: unknown };
  return isBinding(binding) ? binding : undefined;
}

function isBinding(value: unknown): value is Binding {
  const binding = value as Partial<Binding> | null | undefined;
  return typeof binding?.contract?.id === 'string' && typeof binding.repository === 'function';
}
