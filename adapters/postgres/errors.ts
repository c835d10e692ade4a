/**
 * PostgreSQL's errors as faults, and commits, of which a caller learns surely whether they happened, or that it is unknown. The
 * server's messages and details contain values, so none of its text is passed on.
 */
import type { Socket } from 'node:net';
import type { Client, QueryConfig, QueryResult } from 'pg';
import { Fault, type FaultCode, isFault, outage, unwritable } from '../../core/storage.js';
import { discard } from '../knex/driver.js';
import { type ServerAddress, showAddress } from './settings.js';
import type { Position } from './watch.js';

// Errors as faults, which are worded here; their cause keeps only codes and names.

/** What the `pg` module throws, from the server or from a broken connection. */
interface DriverError extends Error {
  code?: string;
  severity?: string;
  table?: string;
  column?: string;
  constraint?: string;
  routine?: string;
}

const sessionLost = 'is reached through a pool that keeps no sessions, although `pooled` is false';

/** By SQLSTATE (PostgreSQL, appendix A), or by its first two characters, the class. */
const byState: Readonly<Record<string, [code: FaultCode, message: string]>> = {
  '22021': ['invalid', 'Text may not contain the character U+0000'],
  '22P05': ['invalid', 'Text may not contain the character U+0000'],
  '23503': ['conflict', 'An entry refers to another one that is not there'],
  '40001': ['conflict', 'Another transaction changed the same data first; try again'],
  '40P01': ['conflict', 'Another transaction changed the same data first; try again'],
  '55P03': ['conflict', 'Another transaction changed the same data first; try again'],
  '25006': ['unavailable', 'takes no writes'],
  '28': ['unavailable', 'refuses the user'],
  '3D': ['unavailable', 'does not exist'],
  '42501': ['unavailable', 'denies the user a required privilege'],
  '57014': ['unavailable', 'cancelled a statement that took too long'],
  '53100': [
    'unavailable',
    'has no space left on its disk. Nothing was changed; free some space and try again, to delete something too',
  ],
  '53300': ['unavailable', 'has no connection left'],
  '08': ['unavailable', 'lost the connection'],
  '08P01': ['unavailable', 'or the connection pool before it refused a connection'],
  '26000': ['unavailable', sessionLost],
  '42P05': ['unavailable', sessionLost],
  '53': ['unavailable', 'is short of resources'],
  '57P': ['unavailable', 'is shutting down or starting'],
  '58': ['unavailable', 'has trouble with its disk or system'],
};

/** States in which the database can be read but not written: it is read-only, or its disk is full. */
const writing = new Set(['25006', '53100']);

/** Messages of broken or refused connections; `pg` gives some of them no code. */
const connectionTrouble =
  /^(Connection terminated|Connection ended|Query read timeout|timeout expired|timeout exceeded|Client has encountered|Client was closed|The server does not support SSL|There was an error establishing an SSL)/;

/** The translation for one database. Errors of other origin are returned unchanged. */
export function translator(address: ServerAddress): (error: unknown) => Error {
  const where = `The PostgreSQL ${showAddress(address)}`;
  return (error) => {
    if (isFault(error)) return error;
    if (!(error instanceof Error))
      return new Fault('internal', 'A value that is not an error was thrown', { cause: error });
    if (error.name === 'KnexTimeoutError') {
      return outage(`${where} did not answer in time, or all connections to it are taken`);
    }
    const { code, severity } = error as DriverError;
    if (typeof code === 'string' && severity !== undefined) {
      const [kind, message] = fromServer(error as DriverError & { code: string });
      if (writing.has(code)) return unwritable(`${where} ${message}`, causeOf(error));
      if (kind === 'unavailable') return outage(`${where} ${message}`, causeOf(error));
      return new Fault(kind, message, { cause: causeOf(error) });
    }
    if (isConnectionTrouble(error)) {
      return outage(`${where} cannot be reached${code ? ` (${code})` : ''}`, causeOf(error));
    }
    return error;
  };
}

/** Whether the server or the connection to it is gone, before or during a statement. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error) || isFault(error)) return false;
  const { code = '', severity } = error as DriverError;
  if (severity === undefined) return isConnectionTrouble(error);
  return /^(08|57P)/.test(code) || (endsSession(severity) && /^(53100|58|XX)/.test(code));
}

/** `isLost`, but not of a server that fell silent: another connection would wait for it as long again. */
export function isLostBefore(error: unknown): boolean {
  return isLost(error) && !(error instanceof SilentServer);
}

/** What a statement fails with whose server fell silent. */
export class SilentServer extends Error {
  readonly syscall = 'read';
  readonly code = 'ETIMEDOUT';
}

/** Errors after which the server closes the connection: one could not be begun, or the server itself is in trouble. */
function endsSession(severity: string | undefined): boolean {
  return severity === 'FATAL' || severity === 'PANIC';
}

/** The message of an `unavailable` fault follows the name of the database. */
function fromServer({ code, severity, constraint }: DriverError & { code: string }): [FaultCode, string] {
  if (code === '23505') return ['conflict', `There is already such an entry (${constraint ?? 'unique'})`];
  const known = byState[code] ?? byState[code.slice(0, 3)] ?? byState[code.slice(0, 2)];
  if (known) return known;
  if (endsSession(severity)) return ['unavailable', `ended the connection (SQLSTATE ${code})`];
  return ['internal', `The database refused a statement (SQLSTATE ${code})`];
}

function isConnectionTrouble(error: Error & { syscall?: unknown }): boolean {
  // If all addresses of a name failed, Node reports them as one AggregateError.
  if (error instanceof AggregateError)
    return error.errors.some((each) => each instanceof Error && isConnectionTrouble(each));
  return typeof error.syscall === 'string' || connectionTrouble.test(afterStatement(error.message));
}

/** Knex puts the statement before the message. */
function afterStatement(message: string): string {
  return message
    .slice(message.lastIndexOf(' - ') + 1)
    .trimStart()
    .replace(/^- /, '');
}

/** For the log: what failed and where, without values. */
function causeOf(error: DriverError): Error {
  const { code, table, column, constraint, routine } = error;
  const cause = new Error(`PostgreSQL error ${code ?? 'without code'}`);
  cause.stack = undefined;
  return Object.assign(cause, { code, table, column, constraint, routine });
}

// Commits, of which a caller learns surely whether they happened, or that it is unknown.

/** A property of a `pg` connection that its types do not declare. */
type CommittingClient = Client & { connection?: { stream?: Socket } };

const unknown =
  'The connection to the storage was lost while a change was saved: it may have been saved, or not. Look, or send the same again';

/** Asked for in the same message as the commit, so that it is known as soon as that is. */
const positioned = 'commit; select pg_current_wal_lsn()::text as position';

/**
 * Milliseconds after which a commit is not waited for any longer: without a second machine, strict synchronous replication
 * keeps it waiting until there is one.
 */
const patience = 20_000;

/**
 * Resolves once the transaction is stored as durably as the server promises; with the primary's position after it, if
 * wanted.
 */
export async function commit(
  connection: Client,
  address: ServerAddress,
  { isPositioned }: { isPositioned: boolean },
): Promise<Position | undefined> {
  const where = `The PostgreSQL ${showAddress(address)}`;
  let alone = false;
  // The server says "canceling wait for synchronous replication": only the primary has the transaction.
  const onNotice = ({ severity }: { severity?: string | undefined }) => {
    alone ||= severity === 'WARNING';
  };
  connection.on('notice', onNotice);
  let position: Position | undefined;
  try {
    const at = performance.now();
    // Several statements have several results.
    const results: unknown = await askSoon(connection, { text: isPositioned ? positioned : 'commit' }, patience);
    const [{ command }, asked] = [results].flat() as [QueryResult, QueryResult<{ position: string }>?];
    const [row] = asked?.rows ?? [];
    if (row) position = { text: row.position, at };
    // If a statement failed and the work continued regardless, the server rolls back without an error.
    if (command !== 'COMMIT') throw new Fault('internal', 'A statement of the transaction failed: nothing was written');
  } catch (error) {
    if (!isLost(error)) throw error;
    // A rollback would wait behind a commit that still hangs.
    (connection as CommittingClient).connection?.stream?.destroy();
    throw outage(`${where} was lost during a commit, whose outcome is unknown`, error, unknown);
  } finally {
    connection.off('notice', onNotice);
  }
  if (alone)
    throw outage(`${where} stopped to wait for its replica: the outcome of a commit is unknown`, undefined, unknown);
  return position;
}

// Queries that a healthy server answers within a time.

/** Rejects after the time limit, in milliseconds; the pool then replaces the connection. */
export async function askSoon<Row extends object = Record<string, unknown>>(
  connection: Client,
  query: QueryConfig,
  limit: number,
): Promise<QueryResult<Row>> {
  try {
    return await connection.query<Row>({ ...query, query_timeout: limit } as QueryConfig);
  } catch (error) {
    discard(connection, error);
    throw error;
  }
}
