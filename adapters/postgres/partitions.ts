/**
 * Turns a table into a partitioned one and back, for migrations. PostgreSQL cannot convert one into the other, so the
 * rows are copied into a new table of the same name: the database needs space for both until the migration commits.
 */
import type { Knex } from 'knex';
import type { Partitions } from '../knex/binding.js';

export async function partition(schema: Knex, table: string, { column, parts, key }: Partitions): Promise<void> {
  await replace(schema, table, key, async (old) => {
    await schema.raw('create table ?? (like ?? including defaults) partition by list (??)', [table, old, column]);
    for (const [name, value] of Object.entries(parts)) {
      await schema.raw(`create table ?? partition of ?? for values in (${Math.trunc(value)})`, [
        `${table}_${name}`,
        table,
      ]);
    }
  });
}

export async function unpartition(schema: Knex, table: string, key: readonly string[]): Promise<void> {
  await replace(schema, table, key, async (old) => {
    await schema.raw('create table ?? (like ?? including defaults)', [table, old]);
  });
}

/** Replaces a table by a new one; the old one has another name meanwhile. */
async function replace(
  schema: Knex,
  table: string,
  key: readonly string[],
  make: (old: string) => Promise<void>,
): Promise<void> {
  const old = `${table}_old`;
  const { rows } = await schema.raw<{ rows: { index: string; definition: string }[] }>(
    "select relname as index, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition from pg_index " +
      'join pg_class on oid = indexrelid where indrelid = ?::regclass and not indisprimary order by 1',
    [table],
  );
  for (const { index } of rows) await schema.raw('drop index ??', [index]);
  await schema.raw('alter table ?? drop constraint ??', [table, `${table}_pkey`]);
  await schema.raw('alter table ?? rename to ??', [table, old]);
  await make(old);
  await schema.raw('insert into ?? select * from ??', [table, old]);
  // With its partitions, whose names the new ones may take.
  await schema.raw('drop table ??', [old]);
  // After the rows are copied: updating indexes row by row takes longer.
  await schema.raw(`alter table ?? add primary key (${key.map(() => '??').join(', ')})`, [table, ...key]);
  for (const { definition } of rows) await schema.raw(definition);
  // Autovacuum does not gather statistics of a partitioned table, and those of an empty table would mislead the planner.
  const { rows: some } = await schema.raw<{ rows: unknown[] }>('select 1 from ?? limit 1', [table]);
  if (some.length > 0) await schema.raw('analyze ??', [table]);
}
