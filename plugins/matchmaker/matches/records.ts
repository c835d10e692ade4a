/** Records of searches as they are stored: with numbers of the forms that they found, of which an erasure takes patients out. */
import {
  absent,
  type Changes,
  type Conditions,
  type Cursor,
  defineTable,
  generated,
  json,
  optional,
  person,
  type RowOf,
  short,
  small,
  type Tables,
  text,
  time,
  user,
} from '../../../core/storage.js';
import { hasId, isRecord, type Patient } from '../patients/patient.js';
import type {
  KeptQuery,
  MatchedPatient,
  MatchRecord,
  NodeName,
  NodeResult,
  QueriesOf,
  QueryFinding,
} from './contract.js';
import { deleteForms, found, loosen, patientsOfForms } from './forms.js';

/** A found patient with its score: the number of its form, or the patient itself. */
type StoredFinding = { form: number; score: MatchedPatient['score'] } | MatchedPatient;

interface StoredResult {
  node: NodeName;
  patients: StoredFinding[];
}

/** The part of a record that is stored as one JSON document. */
interface RecordDocument extends Pick<MatchRecord, 'patient' | 'errors' | 'alsoSharing'> {
  results: StoredResult[];
}

/**
 * `patientId` and `patientNumber` are those of the query; `found` is 1 if a patient was found; `search` is the key of the search,
 * if it has one.
 */
export const records = defineTable({
  name: 'matchmaker_matches_records',
  columns: {
    ...{ number: generated(), id: person(text()), created: time(), type: text(), direction: text() },
    ...{ asker: user(text(), 'with the record'), patientId: person(text()), patientNumber: optional(small()) },
    ...{ found: short(), document: person(json<RecordDocument>()), search: optional(text()) },
  },
  key: ['number'],
  unique: [['id'], ['search']],
  indexes: [['created'], ['patientId'], ['direction', 'type', 'asker', 'patientId', 'number']],
  sound: ({ document }) => document === undefined || isDocument(document),
});

export type MatchRow = RowOf<typeof records.columns>;
type MatchConditions = Conditions<MatchRow>;

/** Columns that are not read. */
const allBut = (...read: (keyof MatchRow)[]) =>
  (Object.keys(records.columns) as (keyof MatchRow)[]).filter((column) => !read.includes(column));
export const placeOnly = allBut('number', 'created');
const numberOnly = allBut('number');
const queryOnly = allBut('number', 'asker', 'patientId');
const documentOnly = allBut('number', 'document');

function isDocument(document: unknown): boolean {
  if (!isRecord(document)) return false;
  const { patient, results, errors, alsoSharing } = document;
  const isFinding = (one: unknown) => isRecord(one) && (typeof one.form === 'number' || hasId(one.patient));
  return (
    hasId(patient) &&
    Array.isArray(errors) &&
    (alsoSharing === undefined || typeof alsoSharing === 'number') &&
    Array.isArray(results) &&
    results.every((one) => hasId(one?.node) && Array.isArray(one.patients) && one.patients.every(isFinding))
  );
}

/** The results of each record by its number. What was found and is erased by now is left out. */
export async function resultsOf(
  tables: Tables,
  rows: readonly Pick<MatchRow, 'number' | 'document'>[],
): Promise<ReadonlyMap<number, NodeResult[]>> {
  const findings = rows.flatMap(({ document }) => document.results.flatMap(({ patients }) => patients));
  const patients = await patientsOfForms(
    tables,
    findings.flatMap((one) => ('form' in one ? one.form : [])),
  );
  const whole = (one: StoredFinding): MatchedPatient[] => {
    if (!('form' in one)) return [one];
    const patient = patients.get(one.form);
    return patient === undefined ? [] : [{ patient, score: one.score }];
  };
  return new Map(
    rows.map(({ number, document }) => {
      const results = document.results.map(({ node, patients }) => ({ node, patients: patients.flatMap(whole) }));
      return [number, results.filter((result) => result.patients.length > 0)];
    }),
  );
}

/** Searches on this node. */
export const ours = { direction: 'incoming', type: 'internal' };

async function keptQueries(tables: Tables, numbers: readonly number[]): Promise<KeptQuery[]> {
  const rows = await tables.table(records).find({ where: { number: { among: numbers } } });
  return rows.map(({ number, asker, patientNumber: stored, document: { patient } }) => {
    return { number, asker, patient, ...(stored !== undefined && { stored }) };
  });
}

function patientIn(results: readonly NodeResult[] | undefined, id: string): Patient | undefined {
  return results?.flatMap(({ patients }) => patients).find(({ patient }) => patient.id === id)?.patient;
}

/** A record of a search on this node that found the patient sought. */
export interface QueryFinder {
  asker: string;
  patientId: string;
  record: number;
  form: number | undefined;
}

/** Those with the asker and patient of one of the queries. */
async function findersIn(tables: Tables, queries: readonly KeptQuery[], sought: string): Promise<QueryFinder[]> {
  const asker = { among: queries.map((query) => query.asker) };
  const patientId = { among: queries.map(({ patient }) => patient.id) };
  const rows = await tables.table(records).find({ where: { ...ours, asker, patientId }, without: queryOnly });
  const record = { among: rows.map(({ number }) => number) };
  const finders = await tables.table(found).find({ where: { record, patientId: sought } });
  const queryOf = new Map(rows.map((row) => [row.number, row]));
  return finders.map(({ record, form }) => {
    const { asker, patientId } = queryOf.get(record) as (typeof rows)[number];
    return { asker, patientId, record, form };
  });
}

/** What an adapter may ask by statements of its own. */
export interface WaysToFind {
  kept(tables: Tables, numbers: readonly number[]): Promise<KeptQuery[]>;
  finders(tables: Tables, queries: readonly KeptQuery[], sought: string): Promise<QueryFinder[]>;
}

/** See `MatchRepository.queries`. Of records it reads no documents, and each form of the patient once. */
export async function queriesIn(
  tables: Tables,
  numbers: readonly number[],
  sought: string | undefined,
  ways: WaysToFind = { kept: keptQueries, finders: findersIn },
): Promise<KeptQuery[]> {
  const kept = await ways.kept(tables, numbers);
  if (sought === undefined) return kept;
  const finders = await ways.finders(tables, kept, sought);
  const forms = await patientsOfForms(
    tables,
    finders.flatMap(({ form }) => form ?? []),
  );
  // A patient that is in the document of its record.
  const among = finders.flatMap(({ record, form }) => (form === undefined ? record : []));
  const whole = among.length === 0 ? [] : await tables.table(records).find({ where: { number: { among } } });
  const results = await resultsOf(tables, whole);
  const keyOf = (...names: [asker: string, patient: string]) => JSON.stringify(names);
  const findings = new Map(kept.map((query) => [keyOf(query.asker, query.patient.id), [] as QueryFinding[]]));
  for (const { asker, patientId, record, form } of finders.sort((one, other) => other.record - one.record)) {
    const patient = form === undefined ? patientIn(results.get(record), sought) : forms.get(form);
    if (patient) findings.get(keyOf(asker, patientId))?.push({ record, patient });
  }
  return kept.map((query) => ({ ...query, findings: findings.get(keyOf(query.asker, query.patient.id)) ?? [] }));
}

/** Deletes records, held in the order of their numbers and before what they found, as `scrubIn` holds them: no deadlock. */
export async function drop(inside: Tables, places: readonly Pick<MatchRow, 'number'>[]): Promise<number> {
  if (places.length === 0) return 0;
  const numbers = places.map(({ number }) => number);
  const removed = await inside.table(records).remove({ number: { among: numbers } });
  await loosen(inside, numbers);
  return removed;
}

/** See `MatchRepository.removeQueries`. */
export async function removeQueries(inside: Tables, patientId: string, only: QueriesOf | undefined): Promise<number> {
  const where = selectedQueries(patientId, only);
  return drop(inside, await inside.table(records).find({ where, without: numberOnly }));
}

function selectedQueries(patientId: string, only: QueriesOf | undefined): MatchConditions[] {
  const of = (one: MatchConditions) => ({ ...one, patientId });
  if (only === undefined) return [of({})];
  const own = only.asker === undefined ? [] : [of({ asker: only.asker })];
  if (!('stored' in only)) return [...own, ...(only.number === undefined ? [] : [of({ patientNumber: only.number })])];
  if (!only.stored) return [of({ asker: only.asker, direction: 'incoming', patientNumber: absent })];
  return [...own, of({ direction: 'outgoing' }), of({ patientNumber: { above: 0 } })];
}

/** See `MatchRepository.expire`; each portion by itself, so that others wait for little. */
export async function removeOlder(tables: Tables, before: Date): Promise<number> {
  const older = {
    where: { created: { below: before } },
    order: ['created'],
    limit: 2000,
    without: numberOnly,
  } as const;
  for (let removed = 0; ; ) {
    const some = await tables.table(records).find({ ...older, latest: true });
    if (some.length === 0) return removed;
    removed += await tables.transaction((inside) => drop(inside, some));
  }
}

/** Records held in memory at a time. */
const portion = 100;

/** See `MatchRepository.scrub`. */
export async function scrubIn(inside: Tables, patientId: string, node: string | undefined): Promise<number> {
  let changed = 0;
  let after: Cursor<RowOf<typeof found.columns>> | undefined;
  do {
    const finders = { where: { patientId }, order: ['record'], limit: portion, after } as const;
    const { rows, next } = await inside.table(found).page(finders);
    const where = { number: { among: rows.map(({ record }) => record) } };
    const held = await inside.table(records).lock(where, { without: documentOnly });
    const whole = new Set(held.map(({ number }) => number));
    // A damaged record cannot be read, so no single patient can be removed from it: it is deleted.
    const there = await inside.table(records).find({ where, without: numberOnly });
    const dropped: Pick<MatchRow, 'number'>[] = there.filter(({ number }) => !whole.has(number));
    const unlinked: number[] = [];
    const forms = new Map(rows.map(({ record, form }) => [record, form]));
    for (const row of held) {
      const outcome = await takeOut(inside, row, { patientId, form: forms.get(row.number), node });
      if (outcome === 'empty') dropped.push(row);
      if (outcome === 'unlinked') unlinked.push(row.number);
      if (outcome === 'unlinked' || outcome === 'changed') changed++;
    }
    changed += await drop(inside, dropped);
    await inside.table(found).remove({ record: { among: unlinked }, patientId });
    after = next;
  } while (after !== undefined);
  await deleteForms(inside, patientId, node);
  return changed;
}

interface ErasedFinding {
  patientId: string;
  /** The number of the form in which the record found it; undefined if the patient is in the record itself. */
  form: number | undefined;
  /** Of all nodes if undefined. */
  node: string | undefined;
}

/** What is left to do for a record, all at once for many: delete it, or that it found the patient. */
type Outcome = 'unconcerned' | 'empty' | 'unlinked' | 'changed';

async function takeOut(
  inside: Tables,
  { number, document }: Pick<MatchRow, 'number' | 'document'>,
  { patientId, form, node }: ErasedFinding,
): Promise<Outcome> {
  const isOf = (one: StoredFinding) => ('form' in one ? one.form === form : one.patient.id === patientId);
  const holds = ({ patients }: StoredResult) => patients.some(isOf);
  const isMeant = (result: StoredResult) => node === undefined || result.node.id === node;
  if (!document.results.some((result) => isMeant(result) && holds(result))) return 'unconcerned';
  const results = document.results
    .map((result) => (isMeant(result) ? { ...result, patients: result.patients.filter((one) => !isOf(one)) } : result))
    .filter(({ patients }) => patients.length > 0);
  if (results.length === 0 && document.errors.length === 0) return 'empty';
  const changes: Changes<MatchRow> = { document: { ...document, results }, found: results.length > 0 ? 1 : 0 };
  await inside.table(records).change({ number }, changes);
  const left = results.flatMap(({ patients }) => patients.filter(isOf));
  if (left.length === 0) return 'unlinked';
  // What another node found in another form is in the record itself.
  if (!left.some((one) => 'form' in one)) {
    await inside.table(found).change({ record: number, patientId }, { form: absent });
  }
  return 'changed';
}
