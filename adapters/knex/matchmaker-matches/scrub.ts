/** Removes a patient from the results of records. */
import type { Database, Engine } from '../binding.js';
import { type Document, documentIn, found, records } from './records.js';

/** Records held in memory at a time. */
const batch = 100;

export function scrub(database: Database, patient: string, node?: string): Promise<number> {
  return database.transaction(async (inside) => {
    const { write, engine } = inside;
    let [changed, after] = [0, 0];
    for (;;) {
      const chosen = write(found).select('record').where({ patient_id: patient });
      const rows: { number: number; document: unknown }[] = await engine.forUpdate(
        write(records)
          .select('number', 'document')
          .whereIn('number', chosen)
          .where('number', '>', after)
          .orderBy('number')
          .limit(batch),
      );
      for (const { number, document } of rows) {
        after = number;
        const whole = readDocument(engine.values, document);
        if (whole === undefined) {
          // A damaged record cannot be read, so no single patient can be removed from it: it is deleted.
          await write(found).where({ record: number }).delete();
          await write(records).where({ number }).delete();
          changed++;
        } else if (await scrubRecord(inside, number, whole, patient, node)) changed++;
      }
      if (rows.length < batch) return changed;
    }
  });
}

function readDocument(values: Engine['values'], stored: unknown): Document | undefined {
  try {
    return documentIn(values, stored);
  } catch {
    return undefined;
  }
}

/** Returns false if the record does not contain the patient. */
async function scrubRecord(
  { write, engine }: Database,
  number: number,
  whole: Document,
  patient: string,
  node: string | undefined,
): Promise<boolean> {
  const holds = ({ patients }: Document['results'][number]) => patients.some((one) => one.patient.id === patient);
  const isMeant = (result: Document['results'][number]) => node === undefined || result.node.id === node;
  if (!whole.results.some((result) => isMeant(result) && holds(result))) return false;
  const results = whole.results
    .map((result) =>
      isMeant(result) ? { ...result, patients: result.patients.filter((one) => one.patient.id !== patient) } : result,
    )
    .filter(({ patients }) => patients.length > 0);
  if (results.length === 0 && whole.errors.length === 0) await write(records).where({ number }).delete();
  else {
    const document = engine.values.json({ ...whole, results } satisfies Document);
    await write(records)
      .where({ number })
      .update({ document, found: results.length > 0 ? 1 : 0 });
  }
  if (!results.some(holds)) await write(found).where({ record: number, patient_id: patient }).delete();
  return true;
}
