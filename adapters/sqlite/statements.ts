/** Prepared statements, kept for each connection by their text. */
import type { Statement } from 'sqlite3';
import { finalize, prepare, type SqliteConnection } from './connection.js';

/** Statements kept for one connection; the one unused for longest makes room. */
const kept = 200;

const statements = new WeakMap<SqliteConnection, Map<string, Statement>>();

/** The statement for this text. Only who holds the connection may ask. */
export async function preparedStatement(connection: SqliteConnection, sql: string): Promise<Statement> {
  let known = statements.get(connection);
  if (!known) {
    known = new Map();
    statements.set(connection, known);
  }
  const statement = known.get(sql) ?? (await prepare(connection, sql));
  // The map's order is that of use.
  known.delete(sql);
  known.set(sql, statement);
  const [oldest] = known;
  if (known.size > kept && oldest) {
    known.delete(oldest[0]);
    await finalize(oldest[1]);
  }
  return statement;
}

/** A connection with open statements could not be closed. */
export async function finalizeStatements(connection: SqliteConnection): Promise<void> {
  for (const statement of statements.get(connection)?.values() ?? []) await finalize(statement);
  statements.delete(connection);
}
