/** Reads and deletes records of searches, and removes a patient from their results. */
import type { Knex } from 'knex';
import {
  hasId,
  isRecord,
  type MatchCursor,
  type MatchedPatient,
  type MatchPage,
  type MatchRecord,
  type NodeName,
  type Patient,
  type QueriesOf,
} from '../../../plugins/matchmaker/contract.js';
import type { Database, Engine } from '../binding.js';
import { intact, readRows, type StoredRows, select } from '../rows.js';
import { deleteForms, foundPatients, loosen, patientsOfForms, records, sweepForms } from './forms.js';

interface SearchRecordRow {
  number: number;
  id: string;
  created: unknown;
  type: MatchRecord['type'];
  direction: MatchRecord['direction'];
  asker: string;
  patient_number: number | null;
  document: unknown;
}

/** A found patient with its score: a number of `forms`, or the patient itself, as records of earlier versions have it. */
type StoredFinding = { form: number; score: MatchedPatient['score'] } | MatchedPatient;

interface StoredResult {
  node: NodeName;
  patients: StoredFinding[];
}

/** The part of a record that is stored as one JSON document. */
interface RecordDocument {
  patient: Patient;
  results: StoredResult[];
  errors: MatchRecord['errors'];
  alsoSharing?: number;
}

/** A record whose found patients are still to be looked up. */
interface SearchRecord extends Omit<MatchRecord, 'results'> {
  results: StoredResult[];
}

export async function listMatches(
  database: Database,
  { patient, asker, after, limit, signal }: MatchPage,
): Promise<{ records: MatchRecord[]; next?: MatchCursor }> {
  const { values } = database.engine;
  const rows = await select<SearchRecordRow>(database.until(signal), (read) => {
    const ofPatient = read(records)
      .select('number')
      .where({ patient_id: patient })
      .union(read(foundPatients).select('record').where({ patient_id: patient }));
    // Documents are read only for records on the page.
    const page = newestFirst(read(records).select('number').where({ found: 1 }).whereIn('number', ofPatient))
      // One more than requested shows whether there are more.
      .limit(limit + 1);
    if (asker !== undefined) page.where({ asker });
    if (after !== undefined) {
      const time = values.time(after.created) as string | number;
      page.where((older) =>
        older
          .where('created', '<', time)
          .orWhere((same) => same.where({ created: time }).where('number', '<', after.number)),
      );
    }
    return newestFirst(read(records).select(recordRows.columns).whereIn('number', page));
  });
  const shown = rows.slice(0, limit);
  // A damaged time cannot serve as a cursor.
  const last = shown.findLast(({ created }) => isTime(values, created));
  return {
    records: await resolved(database.until(signal), readRows(database, recordRows, shown)),
    ...(rows.length > limit && last ? { next: { created: values.parseTime(last.created), number: last.number } } : {}),
  };
}

function isTime(values: Engine['values'], stored: unknown): boolean {
  try {
    return !Number.isNaN(values.parseTime(stored).getTime());
  } catch {
    return false;
  }
}

function newestFirst(query: Knex.QueryBuilder): Knex.QueryBuilder {
  return query.orderBy('created', 'desc').orderBy('number', 'desc');
}

/** A damaged record is left out. */
export const recordRows: StoredRows<SearchRecordRow, SearchRecord> = {
  table: records,
  key: 'number',
  columns: ['number', 'id', 'created', 'type', 'direction', 'asker', 'patient_number', 'document'],
  read(values, row) {
    return {
      id: row.id,
      created: values.parseTime(row.created),
      type: row.type,
      direction: row.direction,
      asker: row.asker,
      ...(row.patient_number === null ? {} : { number: row.patient_number }),
      ...documentIn(values, row.document),
    };
  },
};

/** The records with the patients that they found. What was found and is erased by now is left out. */
async function resolved(database: Database, stored: readonly SearchRecord[]): Promise<MatchRecord[]> {
  const findings = stored.flatMap(({ results }) => results.flatMap(({ patients }) => patients));
  const patients = await patientsOfForms(
    database,
    findings.flatMap((finding) => ('form' in finding ? finding.form : [])),
  );
  const findingOf = (finding: StoredFinding): MatchedPatient[] => {
    if (!('form' in finding)) return [finding];
    const patient = patients.get(finding.form);
    return patient === undefined ? [] : [{ patient, score: finding.score }];
  };
  return stored.flatMap((record) => {
    const results = record.results
      .map(({ node, patients }) => ({ node, patients: patients.flatMap(findingOf) }))
      .filter(({ patients }) => patients.length > 0);
    return results.length === 0 && record.errors.length === 0 ? [] : { ...record, results };
  });
}

/** Throws if it is damaged. */
function documentIn(values: Engine['values'], stored: unknown): RecordDocument {
  const document = values.parseJson(stored);
  intact(isRecord(document));
  const { patient, results, errors, alsoSharing } = document as Partial<Record<keyof RecordDocument, unknown>>;
  intact(hasId(patient) && Array.isArray(errors) && Array.isArray(results));
  intact(alsoSharing === undefined || typeof alsoSharing === 'number');
  intact(results.every((result) => hasId(result?.node) && Array.isArray(result.patients)));
  intact(results.every(({ patients }) => patients.every(isFinding)));
  return { patient, results, errors, ...(alsoSharing !== undefined && { alsoSharing }) } as RecordDocument;
}

function isFinding(finding: unknown): boolean {
  return isRecord(finding) && (typeof finding.form === 'number' || hasId(finding.patient));
}

function narrow(query: Knex.QueryBuilder, only: QueriesOf): Knex.QueryBuilder {
  if (!('stored' in only)) {
    query.where({ asker: only.asker });
    return only.number === undefined ? query : query.orWhere({ patient_number: only.number });
  }
  const { stored, asker } = only;
  if (!stored) return query.where({ asker, direction: 'incoming' }).whereNull('patient_number');
  query.where({ direction: 'outgoing' }).orWhereNotNull('patient_number');
  return asker === undefined ? query : query.orWhere({ asker });
}

export function removeQueries(database: Database, patient: string, only?: QueriesOf): Promise<number> {
  return deleteRecords(database, (query) => {
    query.where({ patient_id: patient });
    if (only !== undefined) query.where((these) => void narrow(these, only));
  });
}

export function expireMatches(database: Database, before: Date): Promise<number> {
  const time = database.engine.values.time(before) as string | number;
  return deleteRecords(database, (query) => query.where('created', '<', time));
}

type RecordChoice = (query: Knex.QueryBuilder) => void;

/** Deletes the chosen records, and what of found patients no record needs any more. */
function deleteRecords(database: Database, choose: RecordChoice): Promise<number> {
  return database.transaction(async (inside) => {
    const query = inside.write(records).select('number').orderBy('number');
    choose(query);
    // In the order of their numbers and before what they found, as when a patient is removed from them: no deadlock.
    await inside.engine.forUpdate(query);
    return deleteHeld(inside, choose);
  });
}

/** The same for records that the transaction holds. */
export async function deleteHeld(inside: Database, choose: RecordChoice): Promise<number> {
  const { write } = inside;
  const chosen = () => {
    const query = write(records);
    choose(query);
    return query;
  };
  await loosen(inside, chosen().select('number'));
  await write(foundPatients).whereIn('record', chosen().select('number')).delete();
  const deleted: number = await chosen().delete();
  await sweepForms(inside);
  return deleted;
}

// Removes a patient from the results of records.

/** Records held in memory at a time. */
const batch = 100;

export function scrub(database: Database, patient: string, node?: string): Promise<number> {
  return database.transaction(async (inside) => {
    const { write, engine } = inside;
    let [changed, after] = [0, 0];
    for (;;) {
      const chosen = write(foundPatients).select('record').where({ patient_id: patient });
      const rows: ResultRow[] = await engine.forUpdate(
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

function readDocument(values: Engine['values'], stored: unknown): RecordDocument | undefined {
  try {
    return documentIn(values, stored);
  } catch {
    return undefined;
  }
}

/** The number of the form in which a record found the patient; null if the patient is in the record itself. */
function formIn(write: Knex, patient: string): Knex.QueryBuilder {
  return write(foundPatients)
    .select('form')
    .where({ patient_id: patient })
    .whereRaw('?? = ??', [`${foundPatients}.record`, `${records}.number`]);
}

interface ResultRow {
  number: number;
  document: unknown;
  form: number | null;
}

interface ScrubbedRecord {
  patient: string;
  form: number | null;
  /** Of all nodes if omitted. */
  node: string | undefined;
}

/** Returns false if the record does not contain the patient. */
async function scrubRecord(
  { write, engine }: Database,
  number: number,
  whole: RecordDocument,
  { patient, form, node }: ScrubbedRecord,
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
    const document = engine.values.json({ ...whole, results } satisfies RecordDocument);
    await write(records)
      .where({ number })
      .update({ document, found: results.length > 0 ? 1 : 0 });
  }
  const named = write(foundPatients).where({ record: number, patient_id: patient });
  if (!results.some(holds)) await named.delete();
  // What another node found in another form is in the record itself.
  else if (!results.some(hasForm)) await named.update({ form: null });
  return true;
}
