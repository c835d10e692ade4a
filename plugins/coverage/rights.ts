/** What callers may do with the coverage plugin. */
import { defineRight } from '../../core/plugin.js';

export const registerRight = defineRight({
  scope: 'coverage:register',
  summary: 'Register samples with their coverage files, and remove them',
  part: 'load',
});

export const readSamplesRight = defineRight({
  scope: 'coverage:read',
  summary: 'See registered samples, with what the beacon states of samples of the same id, and control charts of runs',
  part: 'report',
});

export const loadRight = defineRight({
  scope: 'coverage:load',
  summary: 'Replace the genes, transcripts and exons of an assembly',
  part: 'load',
});
