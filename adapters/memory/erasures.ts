/** erasures@1 in memory. */
import { type ErasureMemory, erasures } from '../../core/storage.js';
import { defineBinding } from './binding.js';

interface State {
  end?: Awaited<ReturnType<ErasureMemory['known']>>;
}

export default defineBinding<ErasureMemory, State>({
  contract: erasures,
  empty: () => ({}),
  copy: (state) => ({ ...state }),
  repository: ({ read, write }) => ({
    known: async () => structuredClone((await read()).end),
    note: (end) =>
      write((draft) => {
        if (end.number > (draft.end?.number ?? 0)) draft.end = { ...end };
      }),
  }),
});
