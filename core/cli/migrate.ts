/** `trefoil migrate`: creates or updates the tables of the core and of every enabled plugin. */
import { migrationName } from '../start/storage.js';
import { configure } from './configured.js';
import type { CoreCommand } from './core-command.js';
import { downgrade } from './downgrade.js';
import { createSession } from './session.js';

export const migrate: CoreCommand = {
  name: 'migrate',
  summary: 'create or update the tables',
  description:
    'Creates or updates the tables of the core and of every enabled plugin. Several processes may run it at once.',
  options: [
    { flags: '--status', description: 'only list pending migrations, or with --down-to what would be undone and lost' },
    {
      flags: '--down-to <version>',
      description:
        'undo migrations down to an earlier version (0.2.0), or to a step of one contract (beacon@1/010-shared-batches)',
    },
    { flags: '--yes', description: 'with --down-to: do not ask' },
  ],
  examples: ['migrate', 'migrate --status --json', 'migrate --down-to 0.2.0'],
  async run({ configuration: options, terminal, log }, input) {
    const session = createSession(await configure(options), log());
    try {
      const storage = await session.unchecked();
      const status = input.options.status === true;
      const { downTo, yes } = input.options;
      if (downTo !== undefined) {
        return await downgrade(storage, terminal, { to: String(downTo), trial: status, yes: yes === true });
      }
      const names = (status ? await storage.pending() : await storage.migrate()).map(migrationName);
      terminal.data(status ? { pending: names } : { migrated: names });
      for (const name of names) terminal.print(`${status ? 'pending' : 'migrated'}  ${name}`);
      if (names.length === 0) terminal.print(status ? 'Nothing is pending.' : 'The storage is already up to date.');
      return 0;
    } finally {
      await session.close();
    }
  },
};
