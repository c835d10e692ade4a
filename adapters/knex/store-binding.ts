/** A contract's store as a binding: its steps lay the declared tables, and its repository runs above them. */
import type { Knex } from 'knex';
import { type ColumnKind, keptRow, type Store, type TableDeclaration } from '../../core/storage.js';
import type { Binding, Engine, SchemaStep, StoredRows } from './binding.js';
import { columnName, sqlRowOf, storedTable } from './stored-table.js';
import { tablesOn } from './tables.js';

export function bindingOf<Repository>(store: Store<Repository>): Binding<Repository> {
  const migrations = Object.entries(store.steps).map(([name, { replaces, tables }]): [string, SchemaStep] => [
    name,
    {
      ...(replaces && { replaces }),
      async up(schema, engine) {
        for (const table of tables) {
          await schema.schema.createTable(table.name, (builder) => lay(builder, table, engine));
          const { name, first } = table;
          if (first) await schema(name).insert(sqlRowOf(engine.values, table, keptRow(table, first)));
        }
      },
      async down(schema) {
        for (const { name } of [...tables].reverse()) await schema.schema.dropTable(name);
      },
    },
  ]);
  return {
    contract: store.contract,
    migrations: Object.fromEntries(migrations),
    // Operators find a row by one column.
    rows: store.tables.filter(({ key }) => key.length === 1).map((table) => storedTable(table).rows as StoredRows),
    repository: (database) => store.repository(tablesOn(database)),
  };
}

function lay(builder: Knex.CreateTableBuilder, table: TableDeclaration, { columns: column }: Engine): void {
  const { columns, key, unique = [], indexes = [] } = table;
  const make: Record<ColumnKind, (name: string) => Knex.ColumnBuilder> = {
    text: (name) => column.text(builder, name),
    integer: (name) => column.big(builder, name),
    small: (name) => builder.integer(name),
    generated: (name) => builder.increments(name),
    double: (name) => builder.double(name),
    boolean: (name) => builder.boolean(name),
    time: (name) => column.time(builder, name),
    bytes: (name) => builder.binary(name),
    json: (name) => column.json(builder, name),
  };
  for (const [name, { kind, optional }] of Object.entries(columns)) {
    const made = make[kind](columnName(name));
    const isKey = key.length === 1 && key[0] === name;
    if (isKey && kind !== 'generated') made.primary();
    else if (!optional && kind !== 'generated') made.notNullable();
  }
  if (key.length > 1) builder.primary(key.map(columnName));
  for (const set of unique) builder.unique(set.map(columnName));
  for (const set of indexes) builder.index(set.map(columnName));
}
