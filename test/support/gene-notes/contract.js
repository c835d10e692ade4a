import { defineContract } from 'trefoil/storage';

/**
 * What is stored, in the terms of the field and as plain data. A note is `{ gene, text, changed }`: the gene's symbol in
 * upper case, what the laboratory knows about it, and a Date.
 *
 * - `save(notes)` adds or replaces notes, all of them or none.
 * - `find(gene)` returns the note, or undefined if there is none.
 * - `list()` returns all notes, by symbol.
 */
export const geneNotes = defineContract('gene-notes@1', { save: 'needed', find: 'needed', list: 'needed' });
