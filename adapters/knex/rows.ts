/**
 * Rows and values as every engine of the family stores them. A row that a disk, a failed restore or a manual change damaged is
 * left out and reported to operators; all other rows are returned.
 */
import type { Knex } from 'knex';
import { type Damage, damageLog, Fault, refuseUnstorableText } from '../../core/storage.js';
import type { Database, Engine, Scalar, StoredRows } from './binding.js';

// Rows that may be damaged by a disk, a failed restore or a manual change. A row that cannot be read is left out and
// reported to operators; all other rows stay usable.

export type { StoredRows } from './binding.js';

/** Throws if a stored value is not valid. */
export function intact(condition: boolean): asserts condition {
  if (!condition) throw new Error('a stored row is damaged');
}

/** Each damaged row is logged once per process. */
const logs = new WeakMap<Engine, ReturnType<typeof damageLog>>();

/** The value of a row; undefined if it is damaged, which is logged. */
export function readRow<Row extends object, Value>(
  { engine, log }: Pick<Database, 'engine' | 'log'>,
  rows: StoredRows<Row, Value>,
  row: Row,
): Value | undefined {
  try {
    return rows.read(engine.values, row);
  } catch {
    const logged = logs.get(engine) ?? damageLog(log);
    logs.set(engine, logged);
    logged(rows.table, { [rows.key]: nameOfRow(rows, row) });
    return undefined;
  }
}

/** The values of the rows that are not damaged. */
export function readRows<Row extends object, Value extends object>(
  database: Pick<Database, 'engine' | 'log'>,
  rows: StoredRows<Row, Value>,
  found: readonly Row[],
): Value[] {
  return found.flatMap((row) => readRow(database, rows, row) ?? []);
}

function nameOfRow({ key }: StoredRows, row: object): string {
  return String((row as Record<string, unknown>)[key]);
}

/** Rows read by one statement. */
const portion = 500;

/** Reads the whole table and returns the damaged rows. */
export async function damageIn(database: Database, contract: string, rows: StoredRows): Promise<Damage[]> {
  const { table, key, columns } = rows;
  const damaged: Damage[] = [];
  for (let last: unknown; ; ) {
    const found: object[] = await database.run(({ read }) => {
      const query = read(table).select(columns).orderBy(key).limit(portion);
      return last === undefined ? query : query.where(key, '>', last as string | number);
    });
    for (const row of found) {
      try {
        rows.read(database.engine.values, row);
      } catch {
        damaged.push({ contract, table, row: `${key} ${nameOfRow(rows, row)}` });
      }
    }
    const end = found.at(-1);
    if (end === undefined || found.length < portion) return damaged;
    last = (end as Record<string, unknown>)[key];
  }
}

// Values that every engine of the family stores alike.

/**
 * JSON text, which engines store as text: if they parsed it, they would refuse or lose an escaped NUL or half a surrogate
 * pair in its strings.
 */
export function json(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new Fault('internal', 'A value that JSON cannot represent was to be stored');
  return text;
}

export function parseJson(value: unknown): unknown {
  return JSON.parse(value as string);
}

/**
 * Refuses values that some engine would change or lose: a NUL or half a surrogate pair in text, infinity and NaN, also
 * inside lists.
 */
export function refuseUnstorable(value: unknown): void {
  if (typeof value === 'string') {
    refuseUnstorableText(value);
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Fault('internal', `${value} cannot be stored`);
  } else if (Array.isArray(value)) {
    for (const each of value) refuseUnstorable(each);
  }
}

/** Makes a Knex refuse to bind such values. */
export function refusingUnstorable(knex: Knex): Knex {
  const client = knex.client as { prepBindings(bindings?: readonly unknown[]): readonly unknown[] | undefined };
  const prepare = client.prepBindings.bind(client);
  client.prepBindings = (bindings) => {
    refuseUnstorable(bindings);
    return prepare(bindings);
  };
  return knex;
}

// A SELECT that Knex's builder makes, run as `Database.query` runs a fixed one.

/**
 * Stops in the engine if the database is one `until` a signal, which statements that the builder runs itself do not. The
 * text should not depend on the values that are bound: its prepared statement is kept.
 */
export function select<Row>(database: Database, build: (read: Knex) => Knex.QueryBuilder): Promise<Row[]> {
  const { sql, bindings } = build(database.read).toSQL();
  return database.query<Row>(sql, bindings as readonly Scalar[]);
}
