/** What callers may do with panels. */
import { defineRight, type Right } from '../../core/plugin.js';

export const readRight = defineRight({
  scope: 'panels:read',
  summary: 'Read gene panels with their history, drafts included',
  part: 'read',
});

export const editRight = defineRight({
  scope: 'panels:edit',
  summary: 'Make and edit drafts of gene panels, and submit them for review',
  part: 'load',
});

export const signRight = defineRight({
  scope: 'panels:sign',
  summary: 'Sign gene panels, send them back, and retire them',
  part: 'admin',
});

export const rights: readonly Right[] = [readRight, editRight, signRight];
