/** Selects rows by a list of values. */
import type { Database } from '../binding.js';
import { select } from '../select.js';

export interface RowsWanted {
  table: string;
  /** The set that the rows are of. */
  set: number;
  column: string;
  values: readonly (string | number)[];
}

/** All rows of a set with one of the values in the column. */
export function selectRows<Row>(database: Database, { table, set, column, values }: RowsWanted): Promise<Row[]> {
  return select(database, (read) =>
    database.engine.whereIn(read(table).where({ set_id: set }).select('*'), column, values),
  );
}
