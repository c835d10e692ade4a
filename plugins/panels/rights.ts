/** What callers may do with panels. */
import { defineRight, type Right } from '../../core/plugin.js';

/** Panels have no owner: a tenant's members read, edit and sign those that the configuration lists for it. */
export interface OfPanel {
  readonly panel: string;
}

const of = { noun: 'panel', id: ({ panel }: OfPanel): string => panel };

export const readRight = defineRight<OfPanel>({
  scope: 'panels:read',
  summary: 'Read gene panels with their history, drafts included',
  part: 'read',
  of,
});

export const editRight = defineRight<OfPanel>({
  scope: 'panels:edit',
  summary: 'Make and edit drafts of gene panels, and submit them for review',
  part: 'load',
  of,
});

export const signRight = defineRight<OfPanel>({
  scope: 'panels:sign',
  summary: 'Sign gene panels, send them back, and retire them',
  part: 'admin',
  of,
});

export const rights: readonly Right[] = [readRight, editRight, signRight];
