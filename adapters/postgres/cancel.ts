/** Cancels the running statement of a connection, over a second connection since the first one is busy. */
import pg from 'pg';
import type { StorageLog } from '../../core/storage.js';

/** Milliseconds in which the second connection must be established. */
const patience = 5000;

/** Properties of a `pg` connection that its types do not declare. */
type Link = pg.Client & { processID?: number | null };

/** Never throws: if the server accepts no more connections, the statement ends at its timeout. */
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
    log.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'a statement could not be cancelled');
  } finally {
    await other.end().catch(() => undefined);
  }
}
