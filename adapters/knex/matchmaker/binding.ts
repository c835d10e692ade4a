/** matchmaker@1 on SQL: saves, finds and removes patients, and the clients, which are systems that may call this node. */
import { isDeepStrictEqual } from 'node:util';
import { Fault, type ReadOptions } from '../../../core/storage.js';
import {
  type Client,
  type Contact,
  type Foreign,
  foreignPatient,
  isForeign,
  type MatchmakerRepository,
  matchmaker,
  type Patient,
  type PatientFacts,
  type PatientPage,
  type PatientSave,
  type Saved,
  type StoredPatient,
  type Writer,
} from '../../../plugins/matchmaker/contract.js';
import { type Database, defineBinding } from '../binding.js';
import { readRow, readRows, refuseUnstorable, select } from '../rows.js';
import { changesSince, counts, recount, settleNow } from './changes.js';
import { dataOfPatient, factsIn, migrations, patientColumns, patientRows, type StoredPatientRow } from './layout.js';

const table = 'matchmaker_patients';
/** SQLite accepts 500 rows in one statement. */
const insertedAtOnce = 250;
const foundColumns = patientColumns.map((column) => column.replace('p.', 'a.')).join(', ');
const selectPatients = `select ${patientColumns.join(', ')} from ${table} p`;

async function findPatient(
  database: Database,
  id: string,
  owners?: readonly string[],
): Promise<StoredPatient | undefined> {
  // Comparisons alone: a list would be made only if there is a patient, which takes time.
  const own = owners ? ` and (${['1 = 0', ...owners.map(() => 'p.owner = ?')].join(' or ')})` : '';
  const [row] = await database.query<StoredPatientRow>(`${selectPatients} where p.id = ?${own}`, [
    id,
    ...(owners ?? []),
  ]);
  return row && readRow(database, patientRows, row);
}

async function findPatients(
  database: Database,
  column: 'id' | 'number',
  values: readonly (string | number)[],
  { signal }: ReadOptions = {},
): Promise<StoredPatient[]> {
  if (values.length === 0) return [];
  const { engine } = database;
  const bound = engine.bound({ value: column === 'id' ? 'text' : 'integer' });
  refuseUnstorable(values);
  const rows = await database
    .until(signal)
    .query<StoredPatientRow>(`select ${foundColumns} ${engine.lookUp(bound, table, `a.${column} = q.value`)}`, [
      engine.values.json(values.map((value) => [value])) as string,
    ]);
  return readRows(database, patientRows, rows);
}

async function listPatients(database: Database, page: PatientPage): Promise<StoredPatient[]> {
  const listed: StoredPatient[] = [];
  for (let after = page.after; ; ) {
    const limit = page.limit - listed.length;
    const rows = await select<StoredPatientRow>(database.until(page.signal), (read) => {
      const query = read(`${table} as p`).select(patientColumns).orderBy('p.number').limit(limit);
      if (page.owner !== undefined) query.where('p.owner', page.owner);
      if (page.label !== undefined) query.where('p.label', page.label);
      if (after !== undefined) query.where('p.number', '>', after);
      return query;
    });
    listed.push(...readRows(database, patientRows, rows));
    // A page that is short because of damaged rows must not look like the last one.
    if (rows.length < limit || listed.length === page.limit) return listed;
    after = rows.at(-1)?.number;
  }
}

function savePatients(database: Database, saves: readonly PatientSave[]): Promise<(Saved | Foreign)[]> {
  // In a fixed order, so that groups with common patients cannot deadlock.
  const inOrder = [...saves].sort((a, b) => (a.patient.id < b.patient.id ? -1 : 1));
  return database.transaction(async (inside) => {
    const outcomes = new Map<string, Saved | Foreign>();
    for (let left = inOrder; left.length > 0; ) {
      const there = await lockPatients(
        inside,
        left.map(({ patient }) => patient.id),
      );
      for (const save of left) {
        const stored = there.get(save.patient.id);
        if (stored) outcomes.set(save.patient.id, await replace(inside, stored, save));
      }
      const absent = left.filter(({ patient }) => !there.has(patient.id));
      for (const saved of await insert(inside, absent)) outcomes.set(saved.stored.patient.id, saved);
      // Neither: another writer added it between the two statements; the next attempt sees it.
      left = absent.filter(({ patient }) => !outcomes.has(patient.id));
    }
    const changed = [...outcomes.values()].flatMap((saved) =>
      saved.outcome === 'inserted' || saved.outcome === 'updated' ? [saved.stored.number] : [],
    );
    await notePending(inside, changed);
    return saves.flatMap(({ patient }) => outcomes.get(patient.id) ?? []);
  });
}

async function lockPatients(database: Database, ids: readonly string[]): Promise<ReadonlyMap<string, StoredPatient>> {
  const { write, engine } = database;
  const query = engine.whereIn(write(`${table} as p`).select('p.id', ...patientColumns), 'p.id', ids);
  const rows: (StoredPatientRow & { id: string })[] = await engine.forUpdate(query.orderBy('p.id'));
  return new Map(rows.map((row) => [row.id, readRow(database, patientRows, row) ?? remainsOf(row)]));
}

/** What can be read of a damaged patient: enough to replace or remove it by its id. */
function remainsOf({ id, number, version, owner }: StoredPatientRow & { id: string }): StoredPatient {
  const never = new Date(0);
  return { number, version, owner, created: never, updated: never, patient: { id, contact: { name: '', href: '' } } };
}

/** Inserts the patients, except those that another writer added meanwhile. */
async function insert({ write, engine }: Database, saves: readonly PatientSave[]): Promise<Saved[]> {
  if (saves.length === 0) return [];
  const rows = saves.map(({ patient, facts, writer, at }) => ({
    id: patient.id,
    version: 1,
    owner: writer.owner,
    created: engine.values.time(at),
    ...dataOfPatient(engine, patient, facts, at),
  }));
  const numbers = new Map<string, number>();
  for (let i = 0; i < rows.length; i += insertedAtOnce) {
    const added = await write(table)
      .insert(rows.slice(i, i + insertedAtOnce))
      .onConflict('id')
      .ignore()
      .returning<{ id: string; number: number }[]>(['id', 'number']);
    for (const { id, number } of added) numbers.set(id, number);
  }
  return saves.flatMap(({ patient, writer: { owner }, at }) => {
    const number = numbers.get(patient.id);
    if (number === undefined) return [];
    return [{ outcome: 'inserted', stored: { number, version: 1, owner, created: at, updated: at, patient } }];
  });
}

async function replace(
  inside: Database,
  stored: StoredPatient,
  { patient, facts, writer, at }: PatientSave,
): Promise<Saved | Foreign> {
  if (isForeign(stored, writer)) return { outcome: 'foreign' };
  if (isDeepStrictEqual(stored.patient, JSON.parse(JSON.stringify(patient)))) return { outcome: 'unchanged', stored };
  return { outcome: 'updated', stored: await rewrite(inside, stored, patient, facts, at) };
}

async function rewrite(
  inside: Database,
  { number, version, owner, created }: StoredPatient,
  patient: Patient,
  facts: PatientFacts,
  now: Date,
): Promise<StoredPatient> {
  const { write, engine } = inside;
  await write(table)
    .where({ number })
    .update({ version: version + 1, ...dataOfPatient(engine, patient, facts, now) });
  return { number, version: version + 1, owner, created, updated: now, patient };
}

async function holdPatient(database: Database, number: number): Promise<StoredPatient | undefined> {
  const { write, engine } = database;
  const query = write(`${table} as p`).select(patientColumns).where('p.number', number);
  const row = await engine.forUpdate(query).first<StoredPatientRow | undefined>();
  return row && readRow(database, patientRows, row);
}

async function notePending({ write, engine }: Database, numbers: readonly number[]): Promise<void> {
  await engine.append(
    write,
    'matchmaker_pending',
    ['number'],
    numbers.map((number) => [number]),
  );
}

function removePatient(database: Database, id: string, writer: Writer): Promise<StoredPatient | undefined> {
  return database.transaction(async (inside) => {
    const stored = (await lockPatients(inside, [id])).get(id);
    if (!stored) return undefined;
    if (isForeign(stored, writer)) throw foreignPatient();
    await inside.write(table).where({ number: stored.number }).delete();
    await settleNow(inside, stored.number);
    return stored;
  });
}

function replaceFacts(
  database: Database,
  patients: Parameters<MatchmakerRepository['replaceFacts']>[0],
): Promise<number> {
  return database.transaction(async (inside) => {
    const { write, engine } = inside;
    const replaced: number[] = [];
    for (const { number, version, facts } of patients) {
      const found = await write(table)
        .where({ number, version })
        .update({ facts: engine.values.json(facts) });
      if (found > 0) replaced.push(number);
    }
    await notePending(inside, replaced);
    return replaced.length;
  });
}

async function listContacts(database: Database): Promise<{ href: string; patients: number }[]> {
  const rows = await database.query<{ href: string; patients: unknown }>(
    `select href, count(*) as patients from ${table} group by href order by href`,
    [],
  );
  return rows.map(({ href, patients }) => ({ href, patients: database.engine.values.parseBig(patients) }));
}

function replaceContact(
  database: Database,
  href: string,
  contact: Contact,
  submitter: string,
  now: Date,
): Promise<number> {
  return database.transaction(async (inside) => {
    const { write, engine } = inside;
    const query = write(`${table} as p`)
      .select([...patientColumns, 'p.facts'])
      .where('p.href', href);
    // In the order of their numbers, so that two of these cannot deadlock.
    const rows: (StoredPatientRow & { facts: unknown })[] = await engine.forUpdate(query.orderBy('p.number'));
    const replaced: number[] = [];
    for (const row of rows) {
      const stored = readRow(inside, patientRows, row);
      const before = factsIn(engine, row.facts);
      if (!stored || !before) continue;
      await rewrite(inside, stored, { ...stored.patient, contact }, { ...before, submitter }, now);
      replaced.push(row.number);
    }
    await notePending(inside, replaced);
    return replaced.length;
  });
}

// matchmaker@1 on SQL, with the clients.

function repository(database: Database): MatchmakerRepository {
  return {
    savePatients: (saves) => savePatients(database, saves),
    removePatient: (id, writer) => removePatient(database, id, writer),
    patient: (id, owners) => findPatient(database, id, owners),
    held: (number) => database.run((inside) => holdPatient(inside, number)),
    patientsById: (ids) => findPatients(database, 'id', ids),
    patientsByNumber: (numbers, options) => findPatients(database, 'number', numbers, options),
    patients: (page) => listPatients(database, page),
    changesSince: (revision) => changesSince(database, revision),
    counts: () => counts(database),
    recount: () => recount(database),
    replaceFacts: (patients) => replaceFacts(database, patients),
    contacts: () => listContacts(database),
    replaceContact: (href, contact, submitter, now) => replaceContact(database, href, contact, submitter, now),
    addClient: (client) => addClient(database, client),
    clients: () => listClients(database),
    removeClient: (id) => removeClient(database, id),
  };
}

export default defineBinding({ contract: matchmaker, migrations, rows: [patientRows], repository });

// The clients: systems that may call this node.

interface ClientRow {
  id: string;
  url: string | null;
  contact: string | null;
  created: unknown;
}

async function addClient(database: Database, { id, url, contact, created }: Client): Promise<void> {
  const added = await database.run(({ write, engine }) =>
    write('matchmaker_clients')
      .insert({ id, url: url ?? null, contact: contact ?? null, created: engine.values.time(created) })
      .onConflict('id')
      .ignore()
      .returning('id'),
  );
  if (added.length === 0) throw new Fault('conflict', `There is already a client with the id "${id}"`);
}

async function listClients(database: Database): Promise<Client[]> {
  const rows = await database.query<ClientRow>(
    'select id, url, contact, created from matchmaker_clients order by id',
    [],
  );
  return rows.map(({ id, url, contact, created }) => ({
    id,
    ...(url === null ? {} : { url }),
    ...(contact === null ? {} : { contact }),
    created: database.engine.values.parseTime(created),
  }));
}

async function removeClient(database: Database, id: string): Promise<boolean> {
  return (await database.run(({ write }) => write('matchmaker_clients').where({ id }).delete())) > 0;
}
