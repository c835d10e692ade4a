/** gene-notes@1 above tables, which every adapter has. */
import { defineStore, defineTable, text, time } from 'trefoil/storage';
import { geneNotes } from './contract.js';

const texts = defineTable({
  name: 'gene_notes_texts',
  columns: { gene: text(), text: text(), changed: time() },
  key: ['gene'],
});

export default defineStore({
  contract: geneNotes,
  tables: [texts],
  steps: { '001-texts': { tables: [texts] } },
  repository: (tables) => ({
    save: (notes) =>
      tables.transaction(async (inside) => {
        // In one order, so that no two callers wait for each other.
        const ordered = notes.toSorted((one, other) => (one.gene < other.gene ? -1 : 1));
        for (const note of ordered) await inside.table(texts).put(note);
      }),
    find: (gene) => tables.table(texts).one({ gene }),
    list: () => tables.table(texts).find({ order: ['gene'] }),
  }),
});
