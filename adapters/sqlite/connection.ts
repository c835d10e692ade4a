/** One connection of the sqlite3 module, with promises. */
import type { Database, Statement } from 'sqlite3';
import type { Connection } from '../knex/driver.js';

export type SqliteConnection = Database;

/** Runs statements that return no rows. */
export function execute(connection: Connection, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    (connection as SqliteConnection).exec(sql, (error) => (error ? reject(error) : resolve()));
  });
}

/** The first column of the single row. */
export function scalar(connection: SqliteConnection, sql: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    connection.get<Record<string, unknown>>(sql, (error, row) => {
      if (error) reject(error);
      else resolve(row && Object.values(row)[0]);
    });
  });
}

export function prepare(connection: SqliteConnection, sql: string): Promise<Statement> {
  return new Promise((resolve, reject) => {
    const statement = connection.prepare(sql, (error) => (error ? reject(error) : resolve(statement)));
  });
}

export function finalize(statement: Statement): Promise<void> {
  return new Promise((resolve) => statement.finalize(() => resolve()));
}
