/** `trefoil migrate --down-to`: returns to the schema of an earlier version, after showing what will be lost. */
import type { Terminal } from '../commands.js';
import { Fault } from '../fault.js';
import { migrationName } from '../start/storage.js';
import type { Downgrade, Loss, Storage } from '../storage.js';
import { counted } from '../terminal-text.js';

export interface DowngradeOptions {
  /** A version of Trefoil, or a migration step. */
  to: string;
  /** Only show what would be undone and lost. */
  trial: boolean;
  /** Do not ask for confirmation. */
  yes: boolean;
}

/** Returns the exit code: 1 if the operator did not agree. */
export async function downgrade(storage: Storage, terminal: Terminal, options: DowngradeOptions): Promise<number> {
  const { to, trial, yes } = options;
  if (storage.downgrade === undefined) {
    throw new Fault('unprocessable', 'This adapter cannot return to an earlier schema: restore a backup');
  }
  if (trial || !yes) {
    const planned = await storage.downgrade(to, { trial: true });
    if (trial || planned.undone.length === 0) {
      terminal.data(shown(planned, 'wouldUndo'));
      for (const line of described(planned, 'would be')) terminal.print(line);
      return 0;
    }
    for (const line of described(planned, 'will be')) terminal.note(line);
    if (!(await terminal.confirm('Stop all servers first. Continue?'))) {
      throw new Fault('conflict', 'Nothing was changed. Answer y, or use --yes in scripts');
    }
  }
  const done = await storage.downgrade(to, { trial: false });
  terminal.data(shown(done, 'undone'));
  for (const line of described(done, 'was')) terminal.print(line);
  if (done.undone.length > 0) {
    terminal.note('Install the earlier version before you start a server: this version would run these steps again.');
  }
  return 0;
}

function shown({ undone, lost }: Downgrade, key: 'wouldUndo' | 'undone') {
  return { [key]: undone.map(migrationName), lost };
}

function described({ undone, lost }: Downgrade, verb: string): string[] {
  if (undone.length === 0) return ['There is nothing to undo.'];
  const losses = lost.length === 0 ? [`nothing ${verb} lost`] : lost.map((loss) => `${verb} lost: ${named(loss)}`);
  return [...undone.map((step) => `${verb} undone: ${migrationName(step)}`), ...losses];
}

function named({ table, column, rows, kept }: Loss): string {
  const many = counted(rows, 'row');
  if (column !== undefined) return `the column ${column} of ${table}, which has a value in ${many}`;
  return kept === undefined ? `the table ${table} with ${many}` : `${many} of ${table}, which keeps ${kept}`;
}
