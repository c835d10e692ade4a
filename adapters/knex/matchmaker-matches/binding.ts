/**
 * matchmaker-matches@1 on SQL: its store, with statements of its own for what every search waits for, adding records, for pages of
 * a patient that many searches found, and for the queries of others, with which every saved patient is compared.
 */
import { jsonOf } from '../../../core/storage.js';
import {
  hasId,
  type KeptQuery,
  type MatchCursor,
  type NewMatch,
  type Patient,
} from '../../../plugins/matchmaker/contract.js';
import {
  addMatches,
  countedIn,
  type Form,
  type FormNumbers,
  forms,
  found,
  genes,
  keepForms,
  listMatches,
  type NewRecord,
  ofOthersInSql,
  type PlacesPage,
  placeOnly,
  placesIn,
  type QueryFinder,
  queriesIn,
  records,
  store,
  tally,
  today,
} from '../../../plugins/matchmaker/matches/store.js';
import type { Database, Engine, Scalar } from '../binding.js';
import { intact, readRows, refuseUnstorable, type SqlRow, type StoredRows, storedTable } from '../rows.js';
import { bindingOf } from '../storage.js';
import { tablesOn } from '../tables.js';

// Adds records of searches, many with few statements that wait for none of the others.

/** What a storage is known to hold, so that it is not looked up. */
interface KnownContent {
  /** Genes that are counted: none is ever removed. */
  genes: Set<string>;
  /**
   * Numbers of forms that were found today. A form is kept for as long as its patient object is: if the patient is erased, here
   * or by another server, later searches find other objects.
   */
  forms: WeakMap<Form, { id: number; day: number }>;
}

const knownByEngine = new WeakMap<Engine, KnownContent>();
/** More than there are genes; clients may send others. */
const mostKnown = 100_000;

function knownOf(engine: Engine): KnownContent {
  const known = knownByEngine.get(engine) ?? { genes: new Set(), forms: new WeakMap() };
  knownByEngine.set(engine, known);
  return known;
}

async function countSearches(inside: Database, matches: readonly NewMatch[]): Promise<void> {
  const { engine } = inside;
  const { requests, sent, genes: all } = countedIn(matches);
  if (requests === 0) return;
  await inside.later(`insert into ${tally.name} (requests, sent) values (?, ?)`, [requests, sent]);
  const known = knownOf(engine).genes;
  // In a fixed order, so that two of these cannot deadlock.
  const matched = [...all].filter((gene) => !known.has(gene)).sort();
  if (matched.length === 0) return;
  refuseUnstorable(matched);
  inside.onCommit(() => {
    if (known.size < mostKnown) for (const gene of matched) known.add(gene);
  });
  await inside.later(
    `insert into ${genes.name} (gene) select gene from ${engine.bound({ gene: 'text' })} q where true on conflict (gene) do nothing`,
    [engine.values.json(matched.map((gene) => [gene])) as string],
  );
}

/** Stores the forms that this storage is not known to hold. */
async function numbersOf(inside: Database, all: readonly Form[]): Promise<FormNumbers> {
  const known = knownOf(inside.engine).forms;
  const day = today();
  const numbers = new Map<string, number>();
  const others: Form[] = [];
  for (const form of all) {
    const before = known.get(form);
    if (before?.day === day) numbers.set(form.digest, before.id);
    else others.push(form);
  }
  const missing = others.filter(({ digest }) => !numbers.has(digest));
  const kept = await keepForms(tablesOn(inside, true), missing, (_, all, day) => addForms(inside, all, day));
  inside.onCommit(() => {
    for (const form of missing) {
      const id = kept.get(form.digest);
      if (id !== undefined) known.set(form, { id, day });
    }
  });
  return new Map([...numbers, ...kept]);
}

/** In one statement. */
async function addForms(inside: Database, all: readonly Form[], seen: number): Promise<FormNumbers> {
  const { engine } = inside;
  refuseUnstorable(all.flatMap(({ node, patient }) => [node, patient.id]));
  const rows = all.map(({ digest, node, patient }) => [digest, node, patient.id, seen, jsonOf(patient)]);
  const bound = engine.bound({ digest: 'text', node: 'text', patient_id: 'text', seen: 'integer', document: 'json' });
  const added = await inside.query<{ id: number; digest: string }>(
    `insert into ${forms.name} (digest, node, patient_id, seen, document)
     select digest, node, patient_id, seen, document from ${bound} q where true
     on conflict (digest) do update set seen = excluded.seen returning id, digest`,
    [engine.values.json(rows) as string],
  );
  return new Map(added.map(({ digest, id }) => [digest, id]));
}

/** Records in one statement, whose text is prepared for each number of records. */
const insertedAtOnce = 8;

async function insert(inside: Database, all: readonly NewRecord[]): Promise<void> {
  const { engine } = inside;
  for (let i = 0; i < all.length; i += insertedAtOnce) {
    const rows = all.slice(i, i + insertedAtOnce).map(({ row, document }): Scalar[] => {
      const { id, created, type, direction, asker, patientId, patientNumber = null, search = null } = row;
      const time = engine.values.time(created) as Scalar;
      return [id, time, type, direction, asker, patientId, patientNumber, row.found, search, document];
    });
    await inside.later(insertion(rows.length), rows.flat());
  }
  const links = all.flatMap(({ row, found }) => found.map(({ patientId, form = null }) => [row.id, patientId, form]));
  if (links.length === 0) return;
  await inside.later(
    `insert into ${found.name} (record, patient_id, form)
     select a.number, q.patient_id, q.form
     ${engine.lookUp(engine.bound({ record: 'text', patient_id: 'text', form: 'integer' }), records.name, 'a.id = q.record')}`,
    [engine.values.json(links) as string],
  );
}

function insertion(rows: number): string {
  const columns = 'id, created, type, direction, asker, patient_id, patient_number, found, search, document';
  const values = Array.from({ length: rows }, () => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  return `insert into ${records.name} (${columns}) values ${values.join(', ')}`;
}

// Records of a patient.

const places = storedTable(records).rowsWithout(placeOnly);

/** In one statement: the numbers of all records that found the patient stay in the engine. */
async function placesOf(moment: Database, page: PlacesPage): Promise<MatchCursor[]> {
  const { patient, asker, after, limit } = page;
  const time = after && (moment.engine.values.time(after.created) as Scalar);
  const rows = await moment.query<SqlRow>(
    `${places.selection} where found = 1 and number in
     (select number from ${records.name} where patient_id = ? union select record from ${found.name} where patient_id = ?)
     ${asker === undefined ? '' : 'and asker = ?'}
     ${time === undefined ? '' : 'and (created < ? or (created = ? and number < ?))'}
     order by created desc, number desc limit ?`,
    [
      patient,
      patient,
      ...(asker === undefined ? [] : [asker]),
      ...(after && time !== undefined ? [time, time, after.number] : []),
      limit,
    ],
  );
  const read = readRows(moment, places, rows) as MatchCursor[];
  // Behind a damaged place the page goes on.
  return read.length === rows.length ? read : placesIn(tablesOn(moment, true), page);
}

// Queries of other nodes and clients.

async function latestQueries(database: Database): Promise<number[]> {
  const { engine } = database;
  const latest = `select max(number) as number from ${records.name} where ${ofOthersInSql} group by asker, patient_id order by 1`;
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
  table: records.name,
  key: 'number',
  columns: ['number', 'asker', 'patient_number', 'patient'],
  read(values, { number, asker, patient_number: stored, patient: document }) {
    const patient = values.parseJson(document);
    intact(hasId(patient));
    return { number, asker, patient: patient as Patient, ...(stored === null ? {} : { stored }) };
  },
};

async function keptQueries(database: Database, numbers: readonly number[]): Promise<KeptQuery[]> {
  const { engine } = database;
  const rows = await database.query<QueryRow>(
    `select a.number, a.asker, a.patient_number, ${engine.member('a.document', 'patient')} as patient
     ${engine.lookUp(engine.bound({ number: 'integer' }), records.name, 'a.number = q.number')}`,
    [engine.values.json(numbers.map((number) => [number])) as string],
  );
  return readRows(database, queryRows, rows);
}

async function findersOf(database: Database, kept: readonly KeptQuery[], sought: string): Promise<QueryFinder[]> {
  const { engine } = database;
  const ofPatient = `from ${found.name} f where f.record = a.number and f.patient_id = ?`;
  const same = "a.direction = 'incoming' and a.type = 'internal' and a.asker = q.asker and a.patient_id = q.patient";
  // Each once, also if several queries are of one asker and patient.
  const asked = new Map(kept.map(({ asker, patient: { id } }) => [JSON.stringify([asker, id]), [asker, id]]));
  const rows = await database.query<{ asker: string; patient_id: string; record: number; form: number | null }>(
    `select a.asker, a.patient_id, a.number as record, (select f.form ${ofPatient}) as form
     ${engine.lookUp(engine.bound({ asker: 'text', patient: 'text' }), records.name, `${same} and exists (select 1 ${ofPatient})`)}`,
    [sought, engine.values.json([...asked.values()]) as string, sought],
  );
  return rows.map(({ patient_id: patientId, form, ...row }) => ({ ...row, patientId, form: form ?? undefined }));
}

export default bindingOf(store, (database) => ({
  add: (...matches) =>
    database.transaction((inside) =>
      addMatches(tablesOn(inside, true), matches, {
        count: (_, counted) => countSearches(inside, counted),
        keep: (_, forms) => numbersOf(inside, forms),
        insert: async (_, added) => {
          await insert(inside, added);
          return [];
        },
      }),
    ),

  scrub: (patient, node) =>
    database.transaction((inside) => {
      inside.onCommit(() => knownByEngine.delete(inside.engine));
      return store.repository(tablesOn(inside, true)).scrub(patient, node);
    }),

  matches: (page) =>
    database
      .until(page.signal)
      .snapshot((moment) => listMatches(tablesOn(moment, true), page, (_, asked) => placesOf(moment, asked))),

  latestQueries: () => latestQueries(database),

  queries: (numbers, sought) =>
    queriesIn(tablesOn(database), numbers, sought, {
      kept: () => keptQueries(database, numbers),
      finders: (_, kept, patient) => findersOf(database, kept, patient),
    }),
}));
