/** Selects rows by a list of values. */
import type { Knex } from 'knex';
import type { Database, Scalar } from '../binding.js';

export interface RowsWanted {
  table: string;
  /** The set that the rows are of. */
  set: number;
  column: string;
  values: readonly (string | number)[];
}

/** All rows of a set with one of the values in the column. Unlike a builder that is awaited, it stops with `until`. */
export function selectRows<Row>(database: Database, { table, set, column, values }: RowsWanted): Promise<Row[]> {
  const { read, engine } = database;
  const rows: Knex.QueryBuilder = read(table).where({ set_id: set }).select('*');
  const { sql, bindings } = engine.whereIn(rows, column, values).toSQL();
  return database.query<Row>(sql, bindings as readonly Scalar[]);
}
