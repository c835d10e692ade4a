/**
 * The engine-specific parts of PostgreSQL: values, COPY, and partitions, also on other servers that are reached by postgres_fdw
 * (`config/sharding.md`).
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { from } from 'pg-copy-streams';
import { Fault } from '../../core/storage.js';
import type { Partitions } from '../knex/beacon/partitions.js';
import type { Engine, Scalar } from '../knex/binding.js';
import { onConnection } from '../knex/driver.js';
import { json, parseJson, refuseUnstorable } from '../knex/rows.js';

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
    partitioning: {
      partition,
      farParts,
      olderReadersGone,
      far: {
        has: async (database, table, part) => (await knownFar(() => database.read, table)).includes(part),
        // The list of values is made first, and passed on as one.
        rows: (table, where, column, bound, of) =>
          `(select a.* from ${table} a where ${where} and a.${column} = any(array(select o.${of} from ${bound} o)) offset 0)`,
      },
    },
    // No split indexes: the log has changes of rows, however many pages they are on.
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
  if (time !== lastTime.value) lastTime = { value: time, text: textOfTime(value) };
  return lastTime.text;
}

/** UTC to the millisecond, the precision of the column; years as PostgreSQL writes them. */
function textOfTime(value: Date): string {
  if (Number.isNaN(value.getTime())) throw new Fault('internal', 'An invalid date was to be stored');
  const year = value.getUTCFullYear();
  const rest = value.toISOString().replace(/^[+-]?\d+/, '');
  return year > 0 ? `${String(year).padStart(4, '0')}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`;
}

// Rows in PostgreSQL's text format for COPY (PostgreSQL documentation, "COPY", File Formats).

/** Characters in one chunk of the stream. */
const piece = 65_536;

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function* copyText(rows: Iterable<readonly Scalar[]>): Generator<string> {
  let text = '';
  for (const row of rows) {
    for (let i = 0; i < row.length; i++) text += (i === 0 ? '' : '\t') + fieldText(row[i] ?? null);
    text += '\n';
    if (text.length >= piece) {
      yield text;
      text = '';
    }
  }
  if (text.length > 0) yield text;
}

function fieldText(value: Scalar): string {
  if (value === null) return '\\N';
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (typeof value === 'string') return escaped(value);
  return String(value);
}

function escaped(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character) : text;
}

// Makes a table that was just created a partitioned one, for migrations: PostgreSQL cannot convert one into the other.

async function partition(schema: Knex, table: string, { column, parts, key }: Partitions): Promise<void> {
  const whole = `${table}_whole`;
  await schema.raw('alter table ?? rename to ??', [table, whole]);
  await schema.raw('create table ?? (like ?? including defaults) partition by list (??)', [table, whole, column]);
  for (const [name, value] of Object.entries(parts)) {
    await schema.raw(`create table ?? partition of ?? for values in (${Math.trunc(value)})`, [
      `${table}_${name}`,
      table,
    ]);
  }
  // With its primary key, whose name the new one takes.
  await schema.raw('drop table ??', [whole]);
  await schema.raw(`alter table ?? add primary key (${key.map(() => '??').join(', ')})`, [table, ...key]);
}

// Partitions on other PostgreSQL servers, reached by postgres_fdw (`config/sharding.md`). Each server has a state of its own:
// a reader sees there what was committed when it first came, and not when its snapshot here began.

/** Milliseconds in which a server must answer, and after which it is no longer asked. */
const patience = 1000;
const limit = 3000;
/** Milliseconds between looks at the readers, and how many looks. */
const pause = 50;
const looks = 40;

interface RawResult<Row> {
  rows: Row[];
}

/** The values of the partition column that lie on other servers. */
async function farParts(on: Knex, table: string): Promise<number[]> {
  const { rows } = await on.raw<RawResult<{ part: number }>>(
    "select substring(pg_get_expr(c.relpartbound, c.oid) from '[0-9]+')::integer as part from pg_inherits i " +
      "join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass(?) and c.relkind = 'f' order by 1",
    [table],
  );
  return rows.map(({ part }) => part);
}

/** Whether every snapshot is newer than this call: waits a little for older ones to end. */
async function olderReadersGone(on: Knex): Promise<boolean> {
  const { rows } = await on.raw<RawResult<{ now: string }>>('select clock_timestamp()::text as now');
  for (let look = 0; look < looks; look++) {
    const older = await on.raw<RawResult<unknown>>(
      'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() ' +
        'and backend_xmin is not null and xact_start <= ?::timestamptz limit 1',
      [rows[0]?.now ?? ''],
    );
    if (older.rows.length === 0) return true;
    await sleep(pause);
  }
  return false;
}

/** Whether the servers answer, asking each one at a time: one that hangs takes no further connection. */
export class Shards {
  readonly #on: Knex;
  readonly #asked = new Map<string, Promise<boolean>>();

  constructor(on: Knex) {
    this.#on = on;
  }

  async answering(): Promise<Map<string, boolean>> {
    const { rows } = await this.#on.raw<RawResult<{ server: string; table: string }>>(
      'select s.srvname as server, min(t.ftrelid::regclass::text) as "table" from pg_foreign_table t ' +
        'join pg_foreign_server s on s.oid = t.ftserver group by 1 order by 1',
    );
    const answers = rows.map(async ({ server, table }): Promise<[string, boolean]> => {
      const asked = this.#asked.get(server) ?? this.#ask(table).finally(() => this.#asked.delete(server));
      this.#asked.set(server, asked);
      return [server, await Promise.race([asked, sleep(patience, false, { ref: false })])];
    });
    return new Map(await Promise.all(answers));
  }

  async #ask(table: string): Promise<boolean> {
    try {
      await this.#on.transaction(async (inside) => {
        await inside.raw(`set local statement_timeout = ${limit}`);
        await inside.raw(`select 1 from ${table} limit 1`);
      });
      return true;
    } catch {
      return false;
    }
  }
}
