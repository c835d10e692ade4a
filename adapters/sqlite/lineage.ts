/** Whether the path still names the file that was opened. */
import { renameSync, rmSync, statSync } from 'node:fs';
import { outage } from '../../core/storage.js';
import { Lineage } from '../knex/lineage.js';

/**
 * The connections keep the file that they opened, even if it was deleted and another one has its name: they would read the
 * former data, and write where no one finds it. While they are open, no other file gets its inode number.
 */
export class FileLineage extends Lineage {
  readonly #file: string;
  readonly #own: string;
  readonly #ownLogs: ReadonlyMap<string, string>;

  /** To be made once the first connection has written to the file, or read it. */
  constructor(file: string) {
    super();
    this.#file = file;
    this.#own = identityOf(file) ?? '';
    const logs = [`${file}-wal`, `${file}-shm`].map((log) => [log, identityOf(log)] as const);
    this.#ownLogs = new Map(logs.flatMap(([log, own]) => (own === undefined ? [] : [[log, own]])));
  }

  protected look(): void {
    const now = identityOf(this.#file);
    if (now === this.#own) return;
    // It may be about to be replaced. Another one must not be created meanwhile.
    if (now === undefined) throw outage(`The database file ${this.#file} was deleted or moved while it was in use`);
    this.replace(`The database file ${this.#file} was replaced while it was in use`);
  }

  /**
   * Takes away the logs of the former file if they are still there: SQLite would take them for logs of the present file, and
   * damage it. To be called when the connections are closed. Unless the former file has everything that was in its log
   * (`isWritten`), the log is kept under another name.
   */
  discardLogs(isWritten: boolean): void {
    for (const [log, own] of this.#ownLogs) {
      if (identityOf(log) !== own) continue;
      if (isWritten) rmSync(log, { force: true });
      else renameSync(log, `${log}.former`);
    }
  }
}

/** Undefined if there is no such file. */
function identityOf(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && `${found.dev}:${found.ino}`;
  } catch (cause) {
    throw outage(`The database file ${path} cannot be reached`, cause);
  }
}
