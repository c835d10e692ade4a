/** erasures@1 on SQL. */
import { type ErasureMemory, erasures } from '../../../core/storage.js';
import { type Database, defineBinding, type SchemaStep } from '../binding.js';
import { intact, readRows, type StoredRows } from '../rows.js';

const table = 'erasures_known';

const columns = ['number', 'code'];

interface EndRow {
  number: unknown;
  code: unknown;
}

const known: SchemaStep = {
  async up(schema, { columns: column }) {
    await schema.schema.createTable(table, (columns) => {
      columns.bigInteger('number').primary();
      column.text(columns, 'code').notNullable();
    });
  },
  async down(schema) {
    await schema.schema.dropTable(table);
  },
};

function repository(database: Database): ErasureMemory {
  return {
    async known() {
      const rows = await database.query<EndRow>(`select ${columns.join(', ')} from ${table} order by number desc`, []);
      return readRows(database, endRows, rows)[0];
    },

    async note({ number, code }) {
      // A row for each end: of two that are noted at once, none overwrites the other.
      await database.run(({ write }) => write(table).insert({ number, code }).onConflict().ignore());
    },
  };
}

const endRows: StoredRows<EndRow, { number: number; code: string }> = {
  table,
  key: 'number',
  columns,
  read(_, row) {
    const number = Number(row.number);
    intact(Number.isSafeInteger(number) && typeof row.code === 'string');
    return { number, code: row.code as string };
  },
};

export default defineBinding({ contract: erasures, migrations: { '001-known': known }, rows: [endRows], repository });
