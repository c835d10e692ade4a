/** The memory adapter as a subject of the conformance kit. */
import memory from '../../adapters/memory/adapter.js';
import type { Subject } from '../conformance/core.js';
import { quiet } from '../support/storages.js';

export const memorySubject: Subject = {
  name: 'memory',
  capabilities: memory.capabilities,
  open: async (contracts) => ({
    storage: await memory.open({ settings: {}, contracts, bindings: new Map(), log: quiet }),
  }),
};
