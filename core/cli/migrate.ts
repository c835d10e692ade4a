/**
 * `trefoil migrate`: creates or updates the tables of the core and of every enabled plugin, or returns to the schema of an
 * earlier version, after showing what will be lost.
 */
import { counted } from '../command-text.js';
import { command, type Terminal } from '../commands.js';
import { Fault } from '../fault.js';
import { migrationName } from '../start/storage.js';
import type { Downgrade, Loss, Storage } from '../storage.js';
import { type CoreCommand, configure } from './core-command.js';
import { withSession } from './session.js';

export const migrate: CoreCommand = command({
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
  async run({ configuration, terminal, log }, { options: { status = false, downTo, yes = false } }) {
    return withSession({ log }, await configure(configuration), async (session) => {
      const storage = await session.unchecked();
      if (downTo !== undefined) return downgrade(storage, terminal, { to: downTo, trial: status, yes });
      const names = (status ? await storage.pending() : await storage.migrate()).map(migrationName);
      terminal.data(status ? { pending: names } : { migrated: names });
      for (const name of names) terminal.print(`${status ? 'pending' : 'migrated'}  ${name}`);
      if (names.length === 0) terminal.print(status ? 'Nothing is pending.' : 'The storage is already up to date.');
      return 0;
    });
  },
});

// `trefoil migrate --down-to`.

interface DowngradeOptions {
  /** A version of Trefoil, or a migration step. */
  to: string;
  /** Only show what would be undone and lost. */
  trial: boolean;
  /** Do not ask for confirmation. */
  yes: boolean;
}

/** Returns the exit code: 1 if the operator did not agree. */
async function downgrade(storage: Storage, terminal: Terminal, options: DowngradeOptions): Promise<number> {
  const { to, trial, yes } = options;
  if (storage.downgrade === undefined) {
    throw new Fault('unprocessable', 'This adapter cannot return to an earlier schema: restore a backup');
  }
  if (trial || !yes) {
    const planned = await storage.downgrade(to, { trial: true });
    if (trial || planned.undone.length === 0) {
      terminal.data(downgradeJson(planned, 'wouldUndo'));
      for (const line of downgradeLines(planned, 'would be')) terminal.print(line);
      return 0;
    }
    for (const line of downgradeLines(planned, 'will be')) terminal.note(line);
    if (!(await terminal.confirm('Stop all servers first. Continue?'))) {
      throw new Fault('conflict', 'Nothing was changed. Answer y, or use --yes in scripts');
    }
  }
  const done = await storage.downgrade(to, { trial: false });
  terminal.data(downgradeJson(done, 'undone'));
  for (const line of downgradeLines(done, 'was')) terminal.print(line);
  if (done.undone.length > 0) {
    terminal.note('Install the earlier version before you start a server: this version would run these steps again.');
  }
  return 0;
}

function downgradeJson({ undone, lost }: Downgrade, key: 'wouldUndo' | 'undone') {
  return { [key]: undone.map(migrationName), lost };
}

function downgradeLines({ undone, lost }: Downgrade, verb: string): string[] {
  if (undone.length === 0) return ['There is nothing to undo.'];
  const losses = lost.length === 0 ? [`nothing ${verb} lost`] : lost.map((loss) => `${verb} lost: ${named(loss)}`);
  return [...undone.map((step) => `${verb} undone: ${migrationName(step)}`), ...losses];
}

function named({ table, column, rows, kept }: Loss): string {
  const many = counted(rows, 'row');
  if (column !== undefined) return `the column ${column} of ${table}, which has a value in ${many}`;
  return kept === undefined ? `the table ${table} with ${many}` : `${many} of ${table}, which keeps ${kept}`;
}
