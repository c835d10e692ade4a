/** Makes a table that was just created a partitioned one, for migrations: PostgreSQL cannot convert one into the other. */
import type { Knex } from 'knex';
import type { Partitions } from '../knex/binding.js';

export async function partition(schema: Knex, table: string, { column, parts, key }: Partitions): Promise<void> {
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
