/** What API tokens may do with the matchmaker. */
import { defineRight, type Right } from '../../core/plugin.js';

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

export const rights: readonly Right[] = [queryRight, submitRight, adminRight];
