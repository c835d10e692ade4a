/** The checks that an ordinary user can run on a PostgreSQL database. */
import type { Knex } from 'knex';

interface Relation {
  name: string;
  schema: string;
}

/**
 * Reads every table of the schema completely, out-of-line values included, which fails at damaged pages; lists invalid
 * indexes; and checks the order of indexes with the extension amcheck, if it is installed.
 */
export async function verify(on: Knex): Promise<string[]> {
  const found: string[] = [];
  const check = async (what: string, sql: string, bindings: readonly string[]) => {
    try {
      await on.transaction(async (inside) => {
        await inside.raw('set local statement_timeout = 0');
        await inside.raw(sql, [...bindings]);
      });
    } catch (error) {
      found.push(`${what} cannot be read (SQLSTATE ${(error as { code?: string }).code ?? 'unknown'})`);
    }
  };
  const { rows: tables } = await on.raw<{ rows: Relation[] }>(
    'select schemaname as schema, tablename as name from pg_tables where schemaname = current_schema() order by 2',
  );
  for (const { schema, name } of tables) {
    await check(`The table ${name}`, 'select max(length(t::text)) from ??.?? as t', [schema, name]);
  }
  const { rows: indexes } = await on.raw<{ rows: (Relation & { valid: boolean; btree: boolean })[] }>(
    `select n.nspname as schema, c.relname as name, i.indisvalid as valid, a.amname = 'btree' and c.relkind = 'i' as btree
      from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_am a on a.oid = c.relam where n.nspname = current_schema() order by 2`,
  );
  const { rows: amcheck } = await on.raw<{ rows: unknown[] }>("select 1 from pg_extension where extname = 'amcheck'");
  for (const { schema, name, valid, btree } of indexes) {
    if (!valid) found.push(`The index ${name} is not valid: make it anew with \`reindex index ${name}\``);
    else if (btree && amcheck.length > 0) {
      await check(`The index ${name}`, "select bt_index_check(format('%I.%I', ?::text, ?::text)::regclass)", [
        schema,
        name,
      ]);
    }
  }
  return found;
}
