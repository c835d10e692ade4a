/** erasures@1 above tables. */

import { integer, text } from '../table/columns.js';
import { defineStore, defineTable } from '../table.js';
import { type ErasureMemory, erasures } from './contract.js';

/** A row for each end: of two that are noted at once, none overwrites the other. */
const known = defineTable({
  name: 'erasures_known',
  columns: { number: integer(), code: text() },
  key: ['number'],
});

export const store = defineStore<ErasureMemory>({
  contract: erasures,
  tables: [known],
  steps: { '001-known': { tables: [known] } },
  repository: (tables) => ({
    known: () => tables.table(known).one({}, { order: ['number'], descending: true }),

    async note({ number, code }) {
      await tables.table(known).add({ number, code });
    },
  }),
});
