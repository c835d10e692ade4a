/** Records of searches. */
import type { Knex } from 'knex';
import {
  hasId,
  isRecord,
  type MatchCursor,
  type MatchPage,
  type MatchRecord,
  type NewMatch,
  type NodeResult,
  type Patient,
  type QueriesOf,
} from '../../../plugins/matchmaker/contract.js';
import type { Database, Engine } from '../binding.js';
import { intact, readRows, type StoredRows } from '../rows.js';
import { select } from '../select.js';
import { count } from './tally.js';

export const records = 'matchmaker_matches_records';
export const found = 'matchmaker_matches_found';

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

/** The part of a record that is stored as one JSON document. */
export interface Document {
  patient: Patient;
  results: NodeResult[];
  errors: MatchRecord['errors'];
}

export function addMatch(database: Database, match: NewMatch): Promise<void> {
  const ids = [...new Set(match.results.flatMap(({ patients }) => patients.map(({ patient }) => patient.id)))];
  return database.transaction(async (inside) => {
    const { write, engine } = inside;
    await count(inside, match);
    const kept = match.key === undefined || (await makeWay(inside, match.key, ids.length > 0));
    if (!kept || (ids.length === 0 && match.errors.length === 0)) return;
    const { patient, results, errors } = match;
    const [row] = await write(records)
      .insert({
        id: match.id,
        created: engine.values.time(match.created),
        type: match.type,
        direction: match.direction,
        asker: match.asker,
        patient_id: patient.id,
        patient_number: match.number ?? null,
        found: ids.length > 0 ? 1 : 0,
        search: match.key ?? null,
        document: engine.values.json({ patient, results, errors } satisfies Document),
      })
      .returning<{ number: number }[]>('number');
    if (!row) throw new Error('an insert answers the row that it made');
    await engine.append(
      write,
      found,
      ['record', 'patient_id'],
      ids.map((id) => [row.number, id]),
    );
  });
}

/** Deletes the record of the key, unless it found patients and the new one did not: then the new one is not stored. */
async function makeWay({ write, engine }: Database, key: string, finds: boolean): Promise<boolean> {
  const [row] = await engine.forUpdate(write(records).where({ search: key }).select('number', 'found'));
  if (!row) return true;
  if (row.found === 1 && !finds) return false;
  await write(found).where({ record: row.number }).delete();
  await write(records).where({ number: row.number }).delete();
  return true;
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
    records: readRows(database, recordRows, shown),
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
export const recordRows: StoredRows<RecordRow, MatchRecord> = {
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

/** Throws if it is damaged. */
export function documentIn(values: Engine['values'], stored: unknown): Document {
  const document = values.parseJson(stored);
  intact(isRecord(document));
  const { patient, results, errors } = document as Partial<Record<keyof Document, unknown>>;
  intact(hasId(patient) && Array.isArray(errors) && Array.isArray(results));
  intact(results.every((result) => hasId(result?.node) && Array.isArray(result.patients)));
  intact(results.every(({ patients }) => patients.every((found: unknown) => isRecord(found) && hasId(found.patient))));
  return { patient, results, errors } as Document;
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
  return database.transaction(async ({ write }) => {
    const chosen = () => {
      const query = write(records).where({ patient_id: patient });
      return only === undefined ? query : query.where((these) => void narrow(these, only));
    };
    await write(found).whereIn('record', chosen().select('number')).delete();
    return chosen().delete();
  });
}

export function expireMatches(database: Database, before: Date): Promise<number> {
  return database.transaction(async ({ write, engine }) => {
    const chosen = () => write(records).where('created', '<', engine.values.time(before) as string | number);
    await write(found).whereIn('record', chosen().select('number')).delete();
    return chosen().delete();
  });
}
