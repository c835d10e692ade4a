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
const others = `select count(*)::int as number from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;

/** What a database has that no test has used yet. */
export function pristineOf(url: string): Promise<Pristine> {
  return connected(url, async (client) => {
    const rows = new Map<string, string>();
    let size = 0;
    for (const { name, bytes } of (await client.query<Filled>(filled)).rows) {
      const found = await client.query<{ rows: string | null }>(`select json_agg(t)::text as rows from ${name} t`);
      if (found.rows[0]?.rows) rows.set(name, found.rows[0].rows);
      size += bytes;
    }
    const { rows: sequences } = await client.query<Sequence>(moved);
    const schema = await oneOf<string>(client, schemaOf);
    return { schema, size, rows, sequences: new Map(sequences.map(({ name, value }) => [name, value])) };
  });
}

/** Gives a database its first content again, and returns true; false if its tables changed or somebody uses it. */
export function reset(url: string, pristine: Pristine): Promise<boolean> {
  return connected(url, async (client) => {
    // A process that was killed may have left a connection that the server has not noticed to be closed.
    for (let i = 0; (await oneOf<number>(client, others)) > 0; i++) {
      if (i === 20) return false;
      await sleep(10);
    }
    if ((await oneOf<string>(client, schemaOf)) !== pristine.schema) return false;
    const { rows: tables } = await client.query<Filled>(filled);
    if (tables.reduce((sum, { bytes }) => sum + bytes, -pristine.size) > mostBytes) return false;
    const { rows: sequences } = await client.query<Sequence>(moved);
    await client.query(restoring(tables, sequences, pristine));
    return true;
  });
}

interface Filled {
  name: string;
  bytes: number;
}

interface Sequence {
  name: string;
  value: string;
}

function restoring(tables: readonly Filled[], sequences: readonly Sequence[], { rows, sequences: first }: Pristine) {
  const large = tables.filter(({ bytes }) => bytes > mostDeletedBytes).map(({ name }) => name);
  const statements = [
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
  ];
  return statements.join(';\n');
}

/** The sequence after the value that it had, or as if no value had been drawn. */
function restarted(name: string, value: string | undefined): string {
  if (value !== undefined) return `select setval('${name}', ${value})`;
  return `select setval(seqrelid, seqstart, false) from pg_sequence where seqrelid = '${name}'::regclass`;
}

async function connected<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function oneOf<Value>(client: pg.Client, text: string): Promise<Value> {
  const { rows } = await client.query<Record<string, Value>>(text);
  return Object.values(rows[0] ?? {})[0] as Value;
}
