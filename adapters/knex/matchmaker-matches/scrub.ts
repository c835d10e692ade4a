/** Takes a patient out of what was found. */
import type { Database } from '../binding.js';
import { type Document, found, records } from './records.js';

/** Records that are held in memory at once. */
const batch = 100;

export function scrub(database: Database, patient: string): Promise<number> {
  return database.transaction(async ({ write, engine }) => {
    let changed = 0;
    for (;;) {
      const chosen = write(found).select('record').where({ patient_id: patient });
      const rows: { number: number; document: unknown }[] = await engine.forUpdate(
        write(records).select('number', 'document').whereIn('number', chosen).orderBy('number').limit(batch),
      );
      for (const { number, document } of rows) {
        const whole = engine.values.parseJson(document) as Document;
        const results = whole.results
          .map((result) => ({ ...result, patients: result.patients.filter((one) => one.patient.id !== patient) }))
          .filter(({ patients }) => patients.length > 0);
        if (results.length === 0 && whole.errors.length === 0) await write(records).where({ number }).delete();
        else {
          const json = engine.values.json({ ...whole, results } satisfies Document);
          await write(records)
            .where({ number })
            .update({ document: json, found: results.length > 0 ? 1 : 0 });
        }
        await write(found).where({ record: number, patient_id: patient }).delete();
      }
      changed += rows.length;
      if (rows.length < batch) return changed;
    }
  });
}
