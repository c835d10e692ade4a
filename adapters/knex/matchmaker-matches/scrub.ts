/** Removes a patient from the results of records. */
import type { Knex } from 'knex';
import type { Database, Engine } from '../binding.js';
import { deleteForms } from './forms.js';
import { type Document, deleteHeld, documentIn, type StoredFinding, type StoredResult } from './records.js';
import { found, records } from './tables.js';

/** Records held in memory at a time. */
const batch = 100;

export function scrub(database: Database, patient: string, node?: string): Promise<number> {
  return database.transaction(async (inside) => {
    const { write, engine } = inside;
    let [changed, after] = [0, 0];
    for (;;) {
      const chosen = write(found).select('record').where({ patient_id: patient });
      const rows: Row[] = await engine.forUpdate(
        write(records)
          .select('number', 'document', { form: formIn(write, patient) })
          .whereIn('number', chosen)
          .where('number', '>', after)
          .orderBy('number')
          .limit(batch),
      );
      for (const { number, document, form } of rows) {
        after = number;
        const whole = readDocument(engine.values, document);
        if (whole === undefined) {
          // A damaged record cannot be read, so no single patient can be removed from it: it is deleted.
          await deleteHeld(inside, (query) => query.where({ number }));
          changed++;
        } else if (await scrubRecord(inside, number, whole, { patient, form, node })) changed++;
      }
      if (rows.length === batch) continue;
      await deleteForms(inside, patient, node);
      return changed;
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

/** The number of the form in which a record found the patient; null if the patient is in the record itself. */
function formIn(write: Knex, patient: string): Knex.QueryBuilder {
  return write(found)
    .select('form')
    .where({ patient_id: patient })
    .whereRaw('?? = ??', [`${found}.record`, `${records}.number`]);
}

interface Row {
  number: number;
  document: unknown;
  form: number | null;
}

interface Scrubbed {
  patient: string;
  form: number | null;
  /** Of all nodes if omitted. */
  node: string | undefined;
}

/** Returns false if the record does not contain the patient. */
async function scrubRecord(
  { write, engine }: Database,
  number: number,
  whole: Document,
  { patient, form, node }: Scrubbed,
): Promise<boolean> {
  const isOf = (one: StoredFinding) => ('form' in one ? one.form === form : one.patient.id === patient);
  const holds = ({ patients }: StoredResult) => patients.some(isOf);
  const hasForm = ({ patients }: StoredResult) => patients.some((one) => 'form' in one && one.form === form);
  const isMeant = (result: StoredResult) => node === undefined || result.node.id === node;
  if (!whole.results.some((result) => isMeant(result) && holds(result))) return false;
  const results = whole.results
    .map((result) => (isMeant(result) ? { ...result, patients: result.patients.filter((one) => !isOf(one)) } : result))
    .filter(({ patients }) => patients.length > 0);
  if (results.length === 0 && whole.errors.length === 0) await write(records).where({ number }).delete();
  else {
    const document = engine.values.json({ ...whole, results } satisfies Document);
    await write(records)
      .where({ number })
      .update({ document, found: results.length > 0 ? 1 : 0 });
  }
  const named = write(found).where({ record: number, patient_id: patient });
  if (!results.some(holds)) await named.delete();
  // What another node found in another form is in the record itself.
  else if (!results.some(hasForm)) await named.update({ form: null });
  return true;
}
