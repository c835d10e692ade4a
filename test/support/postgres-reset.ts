/**
 * Empties a database so that the next test can use it: creating and dropping one copies and removes hundreds of files,
 * and writes all changes of the server to disk three times.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** What a database had before a test used it. */
export interface Pristine {
  /** Tables, columns, indexes, constraints and functions, by number and last change. */
  schema: string;
  /** Bytes of its tables. */
  size: number;
  /** The rows of tables that have some, as JSON, by table. */
  rows: ReadonlyMap<string, string>;
  /** The last values of sequences that have one, by sequence. */
  sequences: ReadonlyMap<string, string>;
}

/** A larger database is not worth emptying. */
const mostBytes = 32 * 2 ** 20;
/** A table of more bytes is truncated, which takes new files for it and its indexes; deleted rows stay in its files. */
const mostDeletedBytes = 64 * 2 ** 10;

const own = "nspname not like 'pg\\_%' and nspname <> 'information_schema'";
/** Catalogs, and the number that is 16384 or more for what is not part of every database. */
const catalogs = {
  ...{ attribute: 'attrelid', attrdef: 'adrelid', constraint: 'conrelid', index: 'indrelid', trigger: 'tgrelid' },
  ...{ rewrite: 'ev_class', policy: 'polrelid', type: 'oid', proc: 'oid', extension: 'oid', event_trigger: 'oid' },
  largeobject_metadata: 'oid',
};
/** A change of a row of a catalog gives it a higher transaction number. Emptying a table changes its row in pg_class. */
const schemaOf = `select concat_ws(' ',
  (select count(*) || ':' || sum(hashtext(concat_ws('|', c.oid, relname, relkind, relpersistence, relnatts, relchecks, reloptions, relacl)))
     from pg_class c join pg_namespace n on n.oid = relnamespace where ${own}),
  ${Object.entries(catalogs)
    .map(([name, oid]) => `(select count(*) || ':' || sum(xmin::text::bigint) from pg_${name} where ${oid} >= 16384)`)
    .join(', ')},
  (select count(*) from pg_namespace where ${own}),
  (select string_agg(setconfig::text, ' ') from pg_db_role_setting s join pg_database d on d.oid = setdatabase
     where datname = current_database())
) as schema`;
const filled = `select c.oid::regclass::text as name, pg_relation_size(c.oid)::int as bytes
  from pg_class c join pg_namespace n on n.oid = relnamespace
  where relkind = 'r' and ${own} and pg_relation_size(c.oid) > 0`;
const moved = `select format('%I.%I', schemaname, sequencename) as name, last_value::text as value from pg_sequences
  where last_value is not null`;
const others = `select count(*)::int from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;
const state = `select (${others}) as others, (${schemaOf}) as schema,
  (select coalesce(json_agg(filled), '[]') from (${filled}) filled) as tables,
  (select coalesce(json_agg(moved), '[]') from (${moved}) moved) as sequences`;

interface State {
  others: number;
  schema: string;
  tables: { name: string; bytes: number }[];
  sequences: { name: string; value: string }[];
}

async function stateOf(client: pg.Client): Promise<State> {
  const { rows } = await client.query<State>(state);
  return rows[0] as State;
}

/** What a database has that no test has used yet. */
export async function pristineOf(url: string): Promise<Pristine> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { schema, tables, sequences } = await stateOf(client);
    const rows = new Map<string, string>();
    for (const { name } of tables) {
      const found = await client.query<{ rows: string | null }>(`select json_agg(t)::text as rows from ${name} t`);
      if (found.rows[0]?.rows) rows.set(name, found.rows[0].rows);
    }
    const size = tables.reduce((sum, { bytes }) => sum + bytes, 0);
    return { schema, size, rows, sequences: new Map(sequences.map(({ name, value }) => [name, value])) };
  } finally {
    await client.end();
  }
}

/** Empties one database again and again, over one connection: a new one would read all catalogs each time. */
export class Cleaner {
  readonly #url: string;
  readonly #pristine: Pristine;
  #client: pg.Client | undefined;

  constructor(url: string, pristine: Pristine) {
    this.#url = url;
    this.#pristine = pristine;
  }

  /** Restores the first content and returns true; false if tables changed or the database is in use. */
  async reset(): Promise<boolean> {
    const client = await this.#connection();
    let found = await stateOf(client);
    // A process that was killed may have left a connection that the server has not noticed to be closed.
    for (let i = 0; found.others > 0; i++) {
      if (i === 20) return false;
      await sleep(10);
      found = await stateOf(client);
    }
    const { schema, tables } = found;
    if (schema !== this.#pristine.schema) return false;
    if (tables.reduce((sum, { bytes }) => sum + bytes, -this.#pristine.size) > mostBytes) return false;
    await client.query(restoring(found, this.#pristine));
    return true;
  }

  async end(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  async #connection(): Promise<pg.Client> {
    if (this.#client) return this.#client;
    const client = new pg.Client({ connectionString: this.#url });
    // A test may end all connections of its database.
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined;
    });
    await client.connect();
    this.#client = client;
    return client;
  }
}

function restoring({ tables, sequences }: State, { rows, sequences: first }: Pristine): string {
  const large = tables.filter(({ bytes }) => bytes > mostDeletedBytes).map(({ name }) => name);
  return [
    'begin',
    // No foreign key is checked, and no trigger runs.
    'set local session_replication_role = replica',
    ...(large.length > 0 ? [`truncate ${large.join(', ')} cascade`] : []),
    ...tables.filter(({ name }) => !large.includes(name)).map(({ name }) => `delete from ${name}`),
    ...[...rows].map(([table, text]) => {
      const values = `json_populate_recordset(null::${table}, ${pg.escapeLiteral(text)})`;
      return `delete from ${table}; insert into ${table} overriding system value select * from ${values}`;
    }),
    // Statistics would plan the next test's statements.
    'delete from pg_statistic where starelid >= 16384',
    ...sequences
      .filter(({ name, value }) => first.get(name) !== value)
      .map(({ name }) => restarted(name, first.get(name))),
    'commit',
  ].join(';\n');
}

/** The sequence after the value that it had, or as if no value had been drawn. */
function restarted(name: string, value: string | undefined): string {
  if (value !== undefined) return `select setval('${name}', ${value})`;
  return `select setval(seqrelid, seqstart, false) from pg_sequence where seqrelid = '${name}'::regclass`;
}
