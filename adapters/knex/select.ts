/** A SELECT that Knex's builder makes, run as `Database.query` runs a fixed one. */
import type { Knex } from 'knex';
import type { Database, Scalar } from './binding.js';

/**
 * Stops in the engine if the database is one `until` a signal, which statements that the builder runs itself do not. The
 * text should not depend on the values that are bound: its prepared statement is kept.
 */
export function select<Row>(database: Database, build: (read: Knex) => Knex.QueryBuilder): Promise<Row[]> {
  const { sql, bindings } = build(database.read).toSQL();
  return database.query<Row>(sql, bindings as readonly Scalar[]);
}
