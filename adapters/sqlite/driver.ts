/**
 * The connections to one SQLite file: a single writer and a few readers, in WAL mode, so that reads continue during writes;
 * several statements in one call; and whether the path still names the file that was opened. Only this folder uses the sqlite3
 * module.
 */
import { renameSync, rmSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import createKnex, { type Knex } from 'knex';
import { outage, type StorageLog } from '../../core/storage.js';
import type { Scalar, Statement } from '../knex/binding.js';
import {
  type Connection,
  type Driver,
  knexLog,
  Lineage,
  onConnection,
  PreparedStatements,
  poolMetrics,
  type Script,
  sharing,
  soleConnection,
  stoppable,
} from '../knex/driver.js';
import { refusingUnstorable } from '../knex/rows.js';
import {
  copyFault,
  execute,
  finalize,
  inMemory,
  prepare,
  prepareFile,
  prepareReader,
  prepareWriter,
  type SqliteConnection,
  scalar,
  sqliteEngine,
  translator,
} from './engine.js';

/** Node's thread pool has four threads: one stays free for the writer. */
const readers = 3;
/** Milliseconds that a statement waits for a free connection of this process. */
const queueTimeout = 60_000;

const statements = new PreparedStatements(prepare, (_, statement) => finalize(statement));

export interface SqliteOptions {
  /** Path, or `:memory:` for a database that is lost when its only connection closes. */
  file: string;
  /** Milliseconds that a write waits for other processes. */
  busyTimeout: number;
  log: StorageLog;
}

/** Opens the file; creates it and its folder if they do not exist, accessible only to the user of this process. */
export async function openSqlite(options: SqliteOptions): Promise<Driver> {
  const { file, busyTimeout } = options;
  const translate = translator(file);
  await prepareFile(file);
  let lineage: FileLineage | undefined;
  /** A connection of another file is closed before it reads or writes. */
  const ready = (prepared: (connection: SqliteConnection) => Promise<void>) => async (connection: SqliteConnection) => {
    lineage?.confirm();
    await prepared(connection);
    lineage?.confirm();
  };
  const prepareTo = {
    write: ready((connection) => prepareWriter(connection, file, busyTimeout)),
    read: ready((connection) => prepareReader(connection, busyTimeout)),
  };
  const write = pool(options, 1, prepareTo.write);
  const read = file === inMemory ? write : pool(options, readers, prepareTo.read);
  const close = async () => {
    if (read !== write) await read.destroy();
    // If its log cannot be written to the former file, it is kept beside.
    const isWritten = lineage?.isReplaced && (await checkpointed(write).catch(() => false));
    await write.destroy();
    if (lineage?.isReplaced) lineage.discardLogs(isWritten === true);
  };
  try {
    await write.raw('select 1');
    if (file !== inMemory) lineage = new FileLineage(file);
  } catch (error) {
    await close();
    throw translate(error);
  }
  const engine = sqliteEngine(translate);
  return {
    engine,
    read,
    write,
    latest: read,
    reading: (work) => onConnection(read, (connection) => work(connection, { engine, once: () => {} })),
    bind: (connection, ready) =>
      refusingUnstorable(createKnex({ ...common(options), connectionPool: soleConnection(connection, ready) })),
    // A transaction that reads before it writes could not wait for another writer: it takes the write lock at once.
    begin: (connection, kind) => execute(connection, kind === 'write' ? 'begin immediate' : 'begin'),
    commit: async (connection) => {
      await execute(connection, script.commit.sql);
      return undefined;
    },
    script,
    rollback,
    fetch,
    metrics: () => poolMetrics(read === write ? { write } : { read, write }),
    tables: async (on) => {
      const rows = await on.raw<{ table: string; columns: string }[]>(
        `select m.name as "table", json_group_array(c.name) as columns from sqlite_master m, pragma_table_info(m.name) c
         where m.type = 'table' and m.name not like 'sqlite_%' group by m.name order by m.name`,
      );
      return new Map(rows.map(({ table, columns }) => [table, JSON.parse(columns) as string[]]));
    },
    // The transaction has locked the whole file already.
    lockSchema: async () => {},
    ...(lineage === undefined ? {} : { lineage }),
    ping: async () => {
      await read.raw('select 1');
    },
    ...(file === inMemory ? {} : { purge: () => purge(write, file) }),
    verify,
    copyTo: async (copy) => {
      await write.raw('vacuum into ?', [copy]).catch((error: unknown) => {
        throw copyFault(file, error);
      });
      return onConnection(write, (connection) => rowsIn(connection as SqliteConnection, copy));
    },
    close,
  };
}

/** Attempts at a checkpoint; each waits for readers as long as a write waits for writers. */
const checkpoints = 3;

/**
 * `secure_delete` overwrites deleted content in place, but not the copies left behind when rows moved between pages: the
 * file is rewritten, and the log with the former pages is truncated.
 */
async function purge(write: Knex, file: string): Promise<void> {
  await write.raw('vacuum');
  if (await checkpointed(write)) return;
  throw outage(`The write-ahead log of the database file ${file} is in use`);
}

/** Writes everything in the log to the file. Returns false if other users of the file prevent it. */
async function checkpointed(write: Knex): Promise<boolean> {
  for (let tries = 0; tries < checkpoints; tries++) {
    const [state]: { busy: number }[] = await write.raw('pragma wal_checkpoint(truncate)');
    if (state?.busy === 0) return true;
  }
  return false;
}

/** The rows of each table of another file. */
async function rowsIn(connection: SqliteConnection, file: string): Promise<Record<string, number>> {
  const statement = await prepare(connection, 'attach database ? as copy');
  await new Promise<void>((resolve, reject) => {
    statement.run([file], (error) => (error ? reject(error) : resolve()));
  });
  await finalize(statement);
  try {
    const names = await scalar(
      connection,
      "select json_group_array(name) from copy.sqlite_master where type = 'table' and name not like 'sqlite_%'",
    );
    const rows: Record<string, number> = {};
    for (const name of JSON.parse(String(names)) as string[]) {
      rows[name] = Number(await scalar(connection, `select count(*) from copy."${name}"`));
    }
    return rows;
  } finally {
    await execute(connection, 'detach database copy');
  }
}

/** Reads every page and compares every index with its table. */
async function verify(on: Knex): Promise<string[]> {
  const pages = (await on.raw('pragma integrity_check')) as { integrity_check: string }[];
  const found = pages.map((row) => row.integrity_check).filter((line) => line !== 'ok');
  const orphans = (await on.raw('pragma foreign_key_check')) as { table: string; rowid: number; parent: string }[];
  return [
    ...found,
    ...orphans.map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to a row of ${parent} that is gone`),
  ];
}

function common({ log }: SqliteOptions): Knex.Config {
  // Statements in error messages keep their placeholders.
  return { client: 'sqlite3', useNullAsDefault: true, compileSqlOnError: false, log: knexLog(log) };
}

function pool(options: SqliteOptions, max: number, ready: (connection: SqliteConnection) => Promise<void>): Knex {
  const knex = createKnex({
    ...common(options),
    // A file that was deleted is not created again; `prepareFile` creates a new one.
    connection:
      options.file === inMemory
        ? { filename: inMemory }
        : { filename: `${pathToFileURL(options.file).href}?mode=rw`, flags: ['OPEN_URI'] },
    acquireConnectionTimeout: queueTimeout,
    pool: {
      min: 1,
      max,
      afterCreate: (connection: SqliteConnection, done: (error?: unknown) => void) => {
        ready(connection).then(
          () => done(),
          (error) => connection.close(() => done(error)),
        );
      },
    },
  });
  const client = knex.client as { destroyRawConnection(connection: SqliteConnection): Promise<void> };
  const destroy = client.destroyRawConnection.bind(client);
  client.destroyRawConnection = async (connection) => {
    // SQLite does not close a connection that has statements.
    await statements.clear(connection);
    await destroy(connection);
  };
  return sharing(refusingUnstorable(knex), max, queueTimeout);
}

/** After some errors, a full disk among them, SQLite has rolled back by itself. */
async function rollback(connection: Connection): Promise<void> {
  try {
    await execute(connection, 'rollback');
  } catch (error) {
    if (!/no transaction is active$/.test((error as Error).message)) throw error;
  }
}

/** Milliseconds between attempts to stop a statement that waits for a free thread. */
const stopAgain = 50;

async function fetch<Row>(
  connection: Connection,
  sql: string,
  bindings: readonly Scalar[],
  signal?: AbortSignal,
): Promise<Row[]> {
  const statement = await statements.get(connection as SqliteConnection, sql);
  const run = () =>
    new Promise<Row[]>((resolve, reject) => {
      statement.all<Row>(bindings, (error, rows) => (error ? reject(error) : resolve(rows)));
    });
  if (signal === undefined) return run();
  return stoppable(signal, run, () => (connection as SqliteConnection).interrupt(), stopAgain);
}

// Several statements in one call of the sqlite3 module, which hands each call to another thread and back: a transaction of
// short statements spends most of its time so. `exec` takes no values, so they are written into the text.

const script: Script = {
  run: (connection, statements) => execute(connection, statements.map(statementText).join(';\n')),
  // SQLite does not read every fraction back to the last bit.
  canWrite: (bindings) => bindings.every((value) => typeof value !== 'number' || Number.isSafeInteger(value)),
  commit: { sql: 'commit', bindings: [] },
};

/** The statement with its values in place of the question marks, of which none may be in a literal of its text. */
function statementText({ sql, bindings }: Statement): string {
  const [first = '', ...rest] = sql.split('?');
  if (rest.length !== bindings.length) throw new Error('a statement has as many placeholders as values');
  return rest.reduce((text, part, i) => `${text}${literal(bindings[i] as Scalar)}${part}`, first);
}

/** SQLite's literals (https://www.sqlite.org/lang_expr.html): in text, only the quote is doubled. */
function literal(value: Scalar): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  return `(${Number(value)})`;
}

// Whether the path still names the file that was opened.

/**
 * The connections keep the file that they opened, even if it was deleted and another one has its name: they would read the
 * former data, and write where no one finds it. While they are open, no other file gets its inode number.
 */
class FileLineage extends Lineage {
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
