/**
 * From one table to a partitioned one and back, for schema steps. PostgreSQL cannot turn one into the other, so the rows
 * move into a new table of the same name: the database needs room for both until the step is committed.
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

/** Has a new table made in the place of an old one, which is out of the way under another name meanwhile. */
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
  // With its parts, whose names the new ones may bear.
  await schema.raw('drop table ??', [old]);
  // Once the rows are there: to make indexes row by row takes longer.
  await schema.raw(`alter table ?? add primary key (${key.map(() => '??').join(', ')})`, [table, ...key]);
  for (const { definition } of rows) await schema.raw(definition);
  // Nobody else gathers statistics of a partitioned table as a whole; those of an empty one would mislead.
  const { rows: some } = await schema.raw<{ rows: unknown[] }>('select 1 from ?? limit 1', [table]);
  if (some.length > 0) await schema.raw('analyze ??', [table]);
}
