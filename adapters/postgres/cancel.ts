/** Has the server stop what a connection is busy with: on another connection, since the first one cannot be heard. */
import pg from 'pg';
import type { StorageLog } from '../../core/storage.js';

/** Milliseconds within which the other connection must be made. */
const patience = 5000;

/** What `pg` knows of a connection beside its published types. */
type Link = pg.Client & { processID?: number | null };

/** Never throws: a server that takes no more connections ends the statement by its time limit. */
export async function cancel(connection: pg.Client, log: Pick<StorageLog, 'warn'>): Promise<void> {
  const { host, port, user, database, password, ssl, processID } = connection as Link;
  const other = new pg.Client({
    host,
    port,
    user,
    database,
    password,
    ssl,
    application_name: 'trefoil-cancel',
    connectionTimeoutMillis: patience,
    statement_timeout: patience,
  });
  other.on('error', () => undefined);
  try {
    await other.connect();
    await other.query('select pg_cancel_backend($1)', [processID]);
  } catch (error) {
    log.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'a statement could not be stopped');
  } finally {
    await other.end().catch(() => undefined);
  }
}
