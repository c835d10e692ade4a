/** What API tokens may do with the coverage plugin. */
import { defineRight } from '../../core/plugin.js';

export const loadRight = defineRight({
  scope: 'coverage:load',
  summary: 'Replace the genes, transcripts and exons of an assembly',
});
