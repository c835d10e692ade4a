/** The memory adapter as a subject of the conformance kit. */
import memory, { openMemory } from '../../adapters/memory/adapter.js';
import type { Subject } from '../conformance/core.js';
import { quiet } from '../support/storages.js';
import { stores } from '../support/stores.js';

export const memorySubject: Subject = {
  name: 'memory',
  capabilities: memory.capabilities,
  open: async (contracts) => ({
    storage: await memory.open({ settings: {}, contracts, bindings: new Map(), stores, log: quiet }),
  }),
};

/** Memory whose tables are strict; for contracts that have stores. */
export function strictSubject(seed: number): Subject {
  return {
    name: `strict memory, seed ${seed}`,
    capabilities: memory.capabilities,
    open: async (contracts) => ({ storage: await openMemory({ contracts, stores }, seed) }),
  };
}
