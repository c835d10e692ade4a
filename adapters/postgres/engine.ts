/** The engine-specific parts of PostgreSQL. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { from } from 'pg-copy-streams';
import { Fault } from '../../core/storage.js';
import type { Engine, Scalar } from '../knex/binding.js';
import { onConnection } from '../knex/driver.js';
import { json, parseJson, refuseUnstorable } from '../knex/values.js';
import { copyText } from './copy.js';
import { partition } from './partitions.js';
import { farParts, olderReadersGone } from './shards.js';

export function postgresEngine(translate: Engine['translate']): Engine {
  const knownFar = farOnce();
  return {
    columns: {
      // Not jsonb, which refuses some strings and changes numbers and keys.
      json: (table, name) => table.specificType(name, 'json'),
      time: (table, name) => table.specificType(name, 'timestamptz(3)'),
      big: (table, name) => table.specificType(name, 'bigint'),
      // Without the collation, order and comparison would depend on the server's setup.
      text: (table, name) => table.specificType(name, 'text collate "C"'),
    },
    values: {
      json,
      parseJson,
      time: timeText,
      parseTime: (value) => value as Date,
      parseBig: Number,
      parseBoolean: (value) => value === true,
      boolean: (value) => value,
    },
    locksRows: true,
    skipLocked: (query) => query.forUpdate().skipLocked() as typeof query,
    forUpdate: (query) => query.forUpdate() as typeof query,
    append: appender(knownFar),
    // The driver binds a list as an array.
    among: (column, values) => ({ sql: `${column} = any(?)`, bindings: [values as unknown as Scalar] }),
    whereIn: (query, column, values) => query.whereRaw('?? = any(?)', [column, values as string[] | number[]]),
    member: (column, name) => `${column} -> '${name}'`,
    lists: (select, columns, limit) => {
      const lists = columns.map((column) => `coalesce(json_agg(${column}), '[]')`);
      return `select json_build_array(${lists.join(', ')}) as lists from (${select}${limit === undefined ? '' : ` limit ${limit}`}) as listed`;
    },
    bound: (columns) => {
      const values = Object.entries(columns).map(
        ([column, type], i) => `(value ->> ${i})::${casts[type]} as ${column}`,
      );
      return `(select ${values.join(', ')} from json_array_elements(?::json))`;
    },
    // Because of the offsets the inner select stays one of each row, and receives plain values, which it can pass on to
    // another server.
    lookUp: (bound, table, where) =>
      `from (select * from ${bound} q offset 0) q cross join lateral (select a.* from ${table} a where ${where} offset 0) a`,
    far: {
      has: async (database, table, part) => (await knownFar(() => database.read, table)).includes(part),
      // The list of values is made first, and passed on as one.
      rows: (table, where, column, bound, of) =>
        `(select a.* from ${table} a where ${where} and a.${column} = any(array(select o.${of} from ${bound} o)) offset 0)`,
    },
    partition,
    partitionColumn: (column) => column,
    farParts,
    olderReadersGone,
    // The log has changes of rows, however many pages they are on.
    splitIndex: async () => {},
    halves: () => [],
    translate,
  };
}

/** The types of columns of a bound table. */
const casts = { integer: 'integer', text: 'text', time: 'timestamptz', json: 'json' } as const;

/** Few rows are cheaper with one INSERT: a COPY takes several messages. */
const few = 16;

/** Takes a function, as binding a connection to Knex takes longer than a short statement. */
type FarOnce = (on: () => Knex, table: string) => Promise<readonly number[]>;

/** Finds out once for each table which partitions are on other servers: they are moved while nothing runs. */
function farOnce(): FarOnce {
  const known = new Map<string, readonly number[]>();
  return async (on, table) => {
    const parts = known.get(table) ?? (await farParts(on(), table));
    known.set(table, parts);
    return parts;
  };
}

function appender(knownFar: FarOnce): Engine['append'] {
  return async (on, table, columns, rows) => {
    if (rows.length === 0) return;
    refuseUnstorable(rows);
    const records = () => rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
    if (rows.length <= few) return void (await on(table).insert(records()));
    if ((await knownFar(() => on, table)).length === 0) return copy(on, table, columns, rows);
    // Before version 16, COPY sends other servers one row at a time.
    const names = columns.map(() => '??').join(', ');
    await on.raw(`insert into ?? (${names}) select ${names} from json_populate_recordset(null::??, ?)`, [
      ...[table, ...columns, ...columns, table],
      json(records()),
    ]);
  };
}

/** Many rows with one COPY: their number is not limited, and it takes a fraction of the time of INSERT. */
async function copy(
  on: Knex,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Scalar[])[],
): Promise<void> {
  const { sql } = on.raw(`copy ?? (${columns.map(() => '??').join(', ')}) from stdin`, [table, ...columns]).toSQL();
  await onConnection(on, async (connection) => {
    await pipeline(Readable.from(copyText(rows)), (connection as Client).query(from(sql)));
  });
}

/** The last time and its text: rows stored together mostly have the same time. */
let lastTime = { value: Number.NaN, text: '' };

function timeText(value: Date): string {
  const time = value.getTime();
  if (time !== lastTime.value) lastTime = { value: time, text: textOf(value) };
  return lastTime.text;
}

/** UTC to the millisecond, the precision of the column; years as PostgreSQL writes them. */
function textOf(value: Date): string {
  if (Number.isNaN(value.getTime())) throw new Fault('internal', 'An invalid date was to be stored');
  const year = value.getUTCFullYear();
  const rest = value.toISOString().replace(/^[+-]?\d+/, '');
  return year > 0 ? `${String(year).padStart(4, '0')}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`;
}
