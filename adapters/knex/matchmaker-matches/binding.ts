/** matchmaker-matches@1 on SQL, with the queries of other nodes and clients. */
import {
  hasId,
  type KeptQuery,
  type MatchRepository,
  matchmakerMatches,
  type Patient,
} from '../../../plugins/matchmaker/contract.js';
import { type Database, defineBinding, type Scalar } from '../binding.js';
import { intact, readRows, type StoredRows } from '../rows.js';
import { addMatches, counts } from './add.js';
import { formRows, patientsOf } from './forms.js';
import { expireMatches, listMatches, recordRows, removeQueries, scrub } from './records.js';
import { foundPatients, migrations, ofOthers, records } from './tables.js';

// Queries of other nodes and clients.

async function hasQueries(database: Database): Promise<boolean> {
  const rows = await database.query(`select 1 as found from ${records} where ${ofOthers} limit 1`, []);
  return rows.length > 0;
}

async function latestQueries(database: Database): Promise<number[]> {
  const { engine } = database;
  const latest = `select max(number) as number from ${records} where ${ofOthers} group by asker, patient_id order by 1`;
  const [row] = await database.query<{ lists: unknown }>(engine.lists(latest, ['number']), []);
  return (engine.values.parseJson(row?.lists) as [number[]])[0];
}

interface QueryRow {
  number: number;
  asker: string;
  patient_number: number | null;
  /** The query alone: what a search found can be a thousand times as long. */
  patient: unknown;
}

const queryRows: StoredRows<QueryRow, KeptQuery> = {
  table: records,
  key: 'number',
  columns: ['number', 'asker', 'patient_number', 'patient'],
  read(values, { number, asker, patient_number: stored, patient: document }) {
    const patient = values.parseJson(document);
    intact(hasId(patient));
    return { number, asker, patient: patient as Patient, ...(stored === null ? {} : { stored }) };
  },
};

async function queries(database: Database, numbers: readonly number[], sought?: string): Promise<KeptQuery[]> {
  const { engine } = database;
  const rows = await database.query<QueryRow>(
    `select a.number, a.asker, a.patient_number, ${engine.member('a.document', 'patient')} as patient
     ${engine.lookUp(engine.bound({ number: 'integer' }), records, 'a.number = q.number')}`,
    [engine.values.json(numbers.map((number) => [number])) as string],
  );
  const kept = readRows(database, queryRows, rows);
  return sought === undefined ? kept : withFindings(database, kept, sought);
}

interface FindingRow {
  query: number;
  record: number;
  form: number | null;
}

/** Of records it reads no documents, and each form of the patient once. */
async function withFindings(database: Database, kept: readonly KeptQuery[], sought: string): Promise<KeptQuery[]> {
  const { engine } = database;
  const ofPatient = `from ${foundPatients} f where f.record = a.number and f.patient_id = ?`;
  const same = "a.direction = 'incoming' and a.type = 'internal' and a.asker = q.asker and a.patient_id = q.patient";
  const bound = engine.bound({ number: 'integer', asker: 'text', patient: 'text' });
  const rows = await database.query<FindingRow>(
    `select q.number as query, a.number as record, (select f.form ${ofPatient}) as form
     ${engine.lookUp(bound, records, `${same} and exists (select 1 ${ofPatient})`)}`,
    findingBindings(),
  );
  const forms = await patientsOf(
    database,
    rows.flatMap(({ form }) => form ?? []),
  );
  const findings = new Map(kept.map(({ number }) => [number, [] as { record: number; patient: Patient }[]]));
  for (const { query, record, form } of rows.sort((one, other) => other.record - one.record)) {
    const patient = form === null ? await inRecord(database, record, sought) : forms.get(form);
    if (patient) findings.get(query)?.push({ record, patient });
  }
  return kept.map((query) => ({ ...query, findings: findings.get(query.number) ?? [] }));

  function findingBindings(): Scalar[] {
    const asked = engine.values.json(kept.map(({ number, asker, patient }) => [number, asker, patient.id])) as string;
    return [sought, asked, sought];
  }
}

/** A patient in the document of its record, as records of earlier versions have it. */
async function inRecord(database: Database, number: number, sought: string): Promise<Patient | undefined> {
  const rows = await database.run(({ read }) => read(records).select(recordRows.columns).where({ number }));
  for (const { results } of readRows(database, recordRows, rows)) {
    for (const one of results.flatMap(({ patients }) => patients)) {
      if ('patient' in one && one.patient.id === sought) return one.patient;
    }
  }
  return undefined;
}

function repository(database: Database): MatchRepository {
  return {
    add: (...matches) => addMatches(database, matches),
    matches: (page) => listMatches(database, page),
    removeQueries: (patient, only) => removeQueries(database, patient, only),
    scrub: (patient, node) => scrub(database, patient, node),
    asked: () => hasQueries(database),
    latestQueries: () => latestQueries(database),
    queries: (numbers, found) => queries(database, numbers, found),
    expire: (before) => expireMatches(database, before),
    counts: () => counts(database),
  };
}

export default defineBinding({ contract: matchmakerMatches, migrations, rows: [recordRows, formRows], repository });
