/**
 * Rows that may be damaged by a disk, a failed restore or a manual change. A row that cannot be read is left out and
 * reported to operators; all other rows stay usable.
 */
import { type Damage, damageLog } from '../../core/storage.js';
import type { Database, Engine, StoredRows } from './binding.js';

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
    logged(rows.table, { [rows.key]: nameOf(rows, row) });
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
        damaged.push({ contract, table, row: `${key} ${nameOf(rows, row)}` });
      }
    }
    const end = found.at(-1);
    if (end === undefined || found.length < portion) return damaged;
    last = (end as Record<string, unknown>)[key];
  }
}
