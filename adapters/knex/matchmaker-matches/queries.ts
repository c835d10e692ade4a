/** What others asked us about. */
import type { KeptQuery } from '../../../plugins/matchmaker/contract.js';
import type { Database } from '../binding.js';
import { type Document, records } from './records.js';

/** Not what was found for them later: that would keep a query for longer than its own time. */
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

export async function queries(database: Database, numbers: readonly number[]): Promise<KeptQuery[]> {
  const rows: { number: number; asker: string; patient_number: number | null; document: unknown }[] =
    await database.run(({ read, engine }) =>
      engine.whereIn(read(records).select('number', 'asker', 'patient_number', 'document'), 'number', numbers),
    );
  return rows.map(({ number, asker, patient_number: stored, document }) => {
    const { patient } = database.engine.values.parseJson(document) as Document;
    return { number, asker, patient, ...(stored === null ? {} : { stored }) };
  });
}
