/** The batches in which samples of a dataset count for others. */
import { Fault } from '../../../core/storage.js';
import type { Database } from '../binding.js';
import { intact, readRows, type StoredRows } from '../rows.js';

const table = 'beacon_batches';

interface BatchRow {
  id: number;
  members: unknown;
}

export const batchRows: StoredRows<BatchRow, { members: string[] }> = {
  table,
  key: 'id',
  columns: ['id', 'members'],
  read: ({ parseJson }, row) => {
    const members = parseJson(row.members);
    intact(Array.isArray(members) && members.every((member) => typeof member === 'string'));
    return { members };
  },
};

export async function listBatches(database: Database, dataset: string, series: string): Promise<string[][]> {
  const rows = await database.query<BatchRow>(
    `select ${batchRows.columns.join(', ')} from ${table} where dataset = ? and series = ? order by number`,
    [dataset, series],
  );
  const batches = readRows(database, batchRows, rows);
  // Without a batch its members would begin to count in another one.
  if (batches.length < rows.length) throw new Fault('unavailable', `A stored batch of dataset "${dataset}" is damaged`);
  return batches.map(({ members }) => members);
}

export async function addBatches(
  database: Database,
  dataset: string,
  series: string,
  after: number,
  batches: readonly (readonly string[])[],
): Promise<boolean> {
  return database.transaction(async ({ write, engine }) => {
    // Callers of one dataset wait for each other here.
    const found = await engine.forUpdate(write('beacon_datasets').where({ id: dataset })).first();
    if (!found) return false;
    const [row] = await write(table).where({ dataset, series }).count({ known: '*' });
    if (Number(row?.known) !== after) return false;
    for (const [i, members] of batches.entries()) {
      await write(table).insert({ dataset, series, number: after + i, members: engine.values.json(members) });
    }
    return true;
  });
}
