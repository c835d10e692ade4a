/** gene-notes@1 in SQL: the store's steps and verbs, and one statement of its own. */
import { bindingOf } from 'trefoil/adapters/knex';
import store from './store.js';

export default bindingOf(store, (database) => ({
  async find(gene) {
    const [row] = await database.query('select gene, text, changed from gene_notes_texts where gene = ?', [gene]);
    return row && { ...row, changed: database.engine.values.parseTime(row.changed) };
  },
}));
