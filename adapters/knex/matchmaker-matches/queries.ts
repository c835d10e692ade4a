/** Queries of other nodes and clients. */
import type { KeptQuery } from '../../../plugins/matchmaker/contract.js';
import type { Database } from '../binding.js';
import { readRows, type StoredRows } from '../rows.js';
import { documentIn } from './records.js';
import { records } from './tables.js';

/** Later records for the same query do not count: they would keep it longer than its own retention time. */
const ofOthers = "direction = 'incoming' and type = 'internal' and search is null";

export async function asked(database: Database): Promise<boolean> {
  const rows = await database.query(`select 1 as found from ${records} where ${ofOthers} limit 1`, []);
  return rows.length > 0;
}

export async function latestQueries(database: Database): Promise<number[]> {
  const rows = await database.query<{ number: number }>(
    `select max(number) as number from ${records} where ${ofOthers} group by asker, patient_id order by 1`,
    [],
  );
  return rows.map(({ number }) => number);
}

interface QueryRow {
  number: number;
  asker: string;
  patient_number: number | null;
  document: unknown;
}

const queryRows: StoredRows<QueryRow, KeptQuery> = {
  table: records,
  key: 'number',
  columns: ['number', 'asker', 'patient_number', 'document'],
  read(values, { number, asker, patient_number: stored, document }) {
    const { patient } = documentIn(values, document);
    return { number, asker, patient, ...(stored === null ? {} : { stored }) };
  },
};

export async function queries(database: Database, numbers: readonly number[]): Promise<KeptQuery[]> {
  const rows: QueryRow[] = await database.run(({ read, engine }) =>
    engine.whereIn(read(records).select(queryRows.columns), 'number', numbers),
  );
  return readRows(database, queryRows, rows);
}
