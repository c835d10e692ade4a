/** What only PostgreSQL does. */
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
import { partition, unpartition } from './partitions.js';

export function postgresEngine(translate: Engine['translate']): Engine {
  return {
    columns: {
      // Not jsonb, which refuses some strings and does not keep numbers and keys as they were.
      json: (table, name) => table.specificType(name, 'json'),
      time: (table, name) => table.specificType(name, 'timestamptz(3)'),
      big: (table, name) => table.specificType(name, 'bigint'),
      // Without the collation, order and comparison would depend on how the server was set up.
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
    skipLocked: (query) => query.forUpdate().skipLocked() as typeof query,
    forUpdate: (query) => query.forUpdate() as typeof query,
    append,
    whereIn: (query, column, values) => query.whereRaw('?? = any(?)', [column, values as string[] | number[]]),
    lists: (select, columns) => {
      const lists = columns.map((column) => `coalesce(json_agg(${column}), '[]')`);
      return `select json_build_array(${lists.join(', ')}) as lists from (${select}) as listed`;
    },
    partition,
    unpartition,
    partitionColumn: (column) => column,
    translate,
  };
}

/** Few rows cost less by one INSERT: a COPY is a conversation of its own. */
const few = 16;

/** Many rows by one COPY: it has no limit on their number, and takes a fraction of what INSERT does. */
async function append(
  on: Knex,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Scalar[])[],
): Promise<void> {
  if (rows.length === 0) return;
  refuseUnstorable(rows);
  if (rows.length <= few) {
    await on(table).insert(rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]]))));
    return;
  }
  const { sql } = on.raw(`copy ?? (${columns.map(() => '??').join(', ')}) from stdin`, [table, ...columns]).toSQL();
  await onConnection(on, async (connection) => {
    await pipeline(Readable.from(copyText(rows)), (connection as Client).query(from(sql)));
  });
}

/** The last time and its text: what is stored together mostly bears one time. */
let lastTime = { value: Number.NaN, text: '' };

function timeText(value: Date): string {
  const time = value.getTime();
  if (time !== lastTime.value) lastTime = { value: time, text: textOf(value) };
  return lastTime.text;
}

/** UTC to the millisecond, which is what the column keeps; years as PostgreSQL writes them. */
function textOf(value: Date): string {
  if (Number.isNaN(value.getTime())) throw new Fault('internal', 'An invalid date was to be stored');
  const year = value.getUTCFullYear();
  const rest = value.toISOString().replace(/^[+-]?\d+/, '');
  return year > 0 ? `${String(year).padStart(4, '0')}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`;
}
