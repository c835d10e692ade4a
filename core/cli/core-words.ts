/** The core's commands by their first word, in the order of the help. Loaded only if the word is asked for, or the help. */
import type { CoreCommand } from './core-command.js';

export interface CoreWord {
  /** One line for `--help`, if the word has several commands. */
  about?: string;
  load(): Promise<readonly CoreCommand[]>;
}

export const coreWords: ReadonlyMap<string, CoreWord> = new Map<string, CoreWord>([
  ['serve', { load: async () => [(await import('./serve.js')).serve] }],
  ['work', { load: async () => [(await import('./work.js')).work] }],
  ['check', { load: async () => [(await import('./check.js')).check] }],
  ['migrate', { load: async () => [(await import('./migrate.js')).migrate] }],
  [
    'backup',
    { load: async () => [(await import('./backup.js')).backup, (await import('./backup-verify.js')).verifyBackup] },
  ],
  ['erase', { load: async () => [(await import('./erase.js')).erase] }],
  [
    'erasures',
    {
      about: 'accept the list of erasures as it is',
      load: async () => (await import('./erasures.js')).erasuresCommands,
    },
  ],
  ['openapi', { load: async () => [(await import('./openapi.js')).openapi] }],
  ['schema', { load: async () => [(await import('./schema.js')).schema] }],
  [
    'consent',
    {
      about: 'record and lift objections to sharing',
      load: async () => (await import('./consent.js')).consentCommands,
    },
  ],
  [
    'token',
    { about: 'issue, list and revoke API tokens', load: async () => (await import('./token.js')).tokenCommands },
  ],
  [
    'session',
    {
      about: 'list and end the sessions of people who are signed in',
      load: async () => (await import('./signed-in.js')).sessionCommands,
    },
  ],
  ['job', { about: 'list and cancel background jobs', load: async () => (await import('./job.js')).jobCommands }],
  [
    'audit',
    {
      about: 'verify, list and export who asked for whose data',
      load: async () => (await import('./audit.js')).auditCommands,
    },
  ],
]);

/** The commands of one word, or of all. */
export async function loadCoreCommands(word?: string): Promise<readonly CoreCommand[]> {
  const chosen = [...coreWords].filter(([own]) => word === undefined || own === word);
  return (await Promise.all(chosen.map(([, { load }]) => load()))).flat();
}
