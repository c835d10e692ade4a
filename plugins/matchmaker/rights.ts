/** What callers may do with the matchmaker. */
import { defineRight, type Right } from '../../core/plugin.js';

/** Patients belong to the client that added them. */
export interface OwnedBy {
  readonly client: string;
}

const ofClient = { noun: 'client', id: ({ client }: OwnedBy): string => client };

export const queryRight = defineRight({
  scope: 'matchmaker:query',
  summary: 'Search for similar patients, and read the matches of own searches and patients',
});

export const submitRight = defineRight({
  scope: 'matchmaker:submit',
  summary: 'Add, read, change and delete own patients',
});

/** Needed in addition to one of the others. */
export const adminRight = defineRight({
  scope: 'matchmaker:admin',
  summary: 'With one of the other scopes: act on the patients and matches of all owners',
});

/** People have no patients of their own: they read those of clients. */
export const readRight = defineRight<OwnedBy>({
  scope: 'matchmaker:read',
  summary: 'Read the patients of all clients, or of one, with their matches',
  part: 'report',
  of: ofClient,
});

export const loadRight = defineRight<OwnedBy>({
  scope: 'matchmaker:load',
  summary: 'Add, change and delete patients of all clients, or of one, and search other nodes with them',
  part: 'load',
  of: ofClient,
});

/** What people note about matches is not the patients' data, which they may not change with it. */
export const triageRight = defineRight<OwnedBy>({
  scope: 'matchmaker:triage',
  summary:
    'Note what became of matches of the patients of all clients, or of one, and write to the contacts of matches',
  part: 'load',
  of: ofClient,
});

export const stateRight = defineRight({
  scope: 'matchmaker:state',
  summary: 'See the state of the node, its counters and the connected nodes',
  part: 'admin',
});

export const rights: readonly Right[] = [
  ...[queryRight, submitRight, adminRight, readRight, loadRight],
  ...[triageRight, stateRight],
];
