/** Reads and deletes records of searches. */
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
import { intact, readRows, type StoredRows } from '../rows.js';
import { select } from '../select.js';
import { loosen, patientsOf, sweepForms } from './forms.js';
import { found, records } from './tables.js';

interface RecordRow {
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
export type StoredFinding = { form: number; score: MatchedPatient['score'] } | MatchedPatient;

export interface StoredResult {
  node: NodeName;
  patients: StoredFinding[];
}

/** The part of a record that is stored as one JSON document. */
export interface Document {
  patient: Patient;
  results: StoredResult[];
  errors: MatchRecord['errors'];
  alsoSharing?: number;
}

/** A record whose found patients are still to be looked up. */
interface StoredRecord extends Omit<MatchRecord, 'results'> {
  results: StoredResult[];
}

export async function listMatches(
  database: Database,
  { patient, asker, after, limit, signal }: MatchPage,
): Promise<{ records: MatchRecord[]; next?: MatchCursor }> {
  const { values } = database.engine;
  const rows = await select<RecordRow>(database.until(signal), (read) => {
    const ofPatient = read(records)
      .select('number')
      .where({ patient_id: patient })
      .union(read(found).select('record').where({ patient_id: patient }));
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
export const recordRows: StoredRows<RecordRow, StoredRecord> = {
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
async function resolved(database: Database, stored: readonly StoredRecord[]): Promise<MatchRecord[]> {
  const findings = stored.flatMap(({ results }) => results.flatMap(({ patients }) => patients));
  const patients = await patientsOf(
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
export function documentIn(values: Engine['values'], stored: unknown): Document {
  const document = values.parseJson(stored);
  intact(isRecord(document));
  const { patient, results, errors, alsoSharing } = document as Partial<Record<keyof Document, unknown>>;
  intact(hasId(patient) && Array.isArray(errors) && Array.isArray(results));
  intact(alsoSharing === undefined || typeof alsoSharing === 'number');
  intact(results.every((result) => hasId(result?.node) && Array.isArray(result.patients)));
  intact(results.every(({ patients }) => patients.every(isFinding)));
  return { patient, results, errors, ...(alsoSharing !== undefined && { alsoSharing }) } as Document;
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

type Choice = (query: Knex.QueryBuilder) => void;

/** Deletes the chosen records, and what of found patients no record needs any more. */
export function deleteRecords(database: Database, choose: Choice): Promise<number> {
  return database.transaction(async (inside) => {
    const query = inside.write(records).select('number').orderBy('number');
    choose(query);
    // In the order of their numbers and before what they found, as when a patient is removed from them: no deadlock.
    await inside.engine.forUpdate(query);
    return deleteHeld(inside, choose);
  });
}

/** The same for records that the transaction holds. */
export async function deleteHeld(inside: Database, choose: Choice): Promise<number> {
  const { write } = inside;
  const chosen = () => {
    const query = write(records);
    choose(query);
    return query;
  };
  await loosen(inside, chosen().select('number'));
  await write(found).whereIn('record', chosen().select('number')).delete();
  const deleted: number = await chosen().delete();
  await sweepForms(inside);
  return deleted;
}
