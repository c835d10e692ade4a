/**
 * Rows that may be damaged: by a disk, by a restore that went wrong, by a hand. One that cannot be read is set aside, so
 * that all others go on, and operators are told which it is.
 */
import type { Damage } from '../../core/storage.js';
import type { Database, Engine, StoredRows } from './binding.js';

export type { StoredRows } from './binding.js';

/** Thrown by `read` for a value that is none of its kind. */
export function intact(condition: boolean): asserts condition {
  if (!condition) throw new Error('a stored row is damaged');
}

/** Rows that the log was told of already, each once for a process. */
const told = new WeakMap<Engine, Set<string>>();
const toldAtMost = 1000;

/** The value of a row; undefined, and said in the log, if it is damaged. */
export function readRow<Row extends object, Value>(
  { engine, log }: Pick<Database, 'engine' | 'log'>,
  rows: StoredRows<Row, Value>,
  row: Row,
): Value | undefined {
  try {
    return rows.read(engine.values, row);
  } catch {
    const known = told.get(engine) ?? new Set();
    told.set(engine, known);
    const { table, key } = rows;
    const name = nameOf(rows, row);
    if (known.size < toldAtMost && !known.has(`${table} ${name}`)) {
      known.add(`${table} ${name}`);
      log.error({ table, [key]: name }, 'a row of the storage is damaged and set aside');
    }
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

function nameOf({ key }: StoredRows, row: object): string {
  return String((row as Record<string, unknown>)[key]);
}

/** Rows read in one statement. */
const portion = 500;

/** Reads the whole table, and names what is damaged. */
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
        damaged.push({ contract, table, row: `${key} ${nameOf(rows, row)}` });
      }
    }
    const end = found.at(-1);
    if (end === undefined || found.length < portion) return damaged;
    last = (end as Record<string, unknown>)[key];
  }
}
