/** The memory adapter as a subject of the conformance kit. */
import memory from '../../adapters/memory/adapter.js';
import type { Subject } from '../../core/conformance.js';
import type { StorageLog } from '../../core/storage.js';

const quiet: StorageLog = { debug() {}, info() {}, warn() {}, error() {} };

export const memorySubject: Subject = {
  name: 'memory',
  capabilities: memory.capabilities,
  open: async (contracts) => ({
    storage: await memory.open({ settings: {}, contracts, bindings: new Map(), log: quiet }),
  }),
};
