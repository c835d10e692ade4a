/**
 * Cancels the running statement of a connection, over a second one since the first is busy: with the message that the
 * protocol has for it (PostgreSQL documentation, "Canceling Requests in Progress"), which connection pools pass on.
 */
import { once } from 'node:events';
import pg from 'pg';
import type { StorageLog } from '../../core/storage.js';

/** Milliseconds in which the request must be delivered. */
const patience = 5000;

/** Properties of a `pg` connection that its types do not declare. */
type Link = pg.Client & {
  processID?: number | null;
  secretKey?: number | null;
  connectionParameters: { sslnegotiation?: string };
};

type Wire = pg.Connection & {
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
};

/** Never throws: if the server accepts no more connections, the statement ends at its timeout. */
export async function cancel(connection: pg.Client, log: Pick<StorageLog, 'warn'>): Promise<void> {
  const { host, port, ssl, processID, secretKey, connectionParameters } = connection as Link;
  const { sslnegotiation: sslNegotiation } = connectionParameters;
  const wire = new pg.Connection({ ssl, ...(sslNegotiation && { sslNegotiation }) }) as Wire;
  const delivered = once(wire, 'end', { signal: AbortSignal.timeout(patience) });
  if (ssl && sslNegotiation !== 'direct') wire.once('connect', () => wire.requestSsl());
  // The server answers by closing the connection.
  wire.once(ssl ? 'sslconnect' : 'connect', () => wire.cancel(processID ?? 0, secretKey ?? 0));
  if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
  else wire.connect(port, host);
  try {
    await delivered;
  } catch (error) {
    log.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'a statement could not be cancelled');
  } finally {
    wire.on('error', () => undefined);
    wire.stream.destroy();
  }
}
