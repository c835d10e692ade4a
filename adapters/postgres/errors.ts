/**
 * PostgreSQL's errors as faults. The server's messages and details contain values, so none of its text is passed on:
 * faults are worded here, and their cause keeps only codes and names.
 */
import { Fault, type FaultCode, isFault, outage, unwritable } from '../../core/storage.js';
import { type Address, showAddress } from './settings.js';

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
export function translator(address: Address): (error: unknown) => Error {
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
