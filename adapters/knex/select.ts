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

/** A condition: whether a text of SQL begins with one of these; with its bindings. */
export function beginning(text: string, begins: readonly string[]): [condition: string, bindings: Scalar[]] {
  const some = begins.map(() => `substr(${text}, 1, length(cast(? as text))) = cast(? as text)`);
  return [`(${['1 = 0', ...some].join(' or ')})`, begins.flatMap((begin) => [begin, begin])];
}
