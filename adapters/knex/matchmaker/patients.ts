/** Saving, finding and taking out patients. */
import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../../../core/storage.js';
import type {
  Contact,
  MatchmakerRepository,
  Patient,
  PatientFacts,
  PatientPage,
  PatientSave,
  Saved,
  StoredPatient,
  Writer,
} from '../../../plugins/matchmaker/contract.js';
import type { Database } from '../binding.js';
import { dataOf, type PatientRow, patientColumns, storedOf } from './layout.js';
import { settleNow } from './settle.js';

const table = 'matchmaker_patients';
const select = `select ${patientColumns.join(', ')} from ${table} p`;

export async function findPatient(database: Database, id: string): Promise<StoredPatient | undefined> {
  const [row] = await database.query<PatientRow>(`${select} where p.id = ?`, [id]);
  return row && storedOf(database.engine, row);
}

export async function findPatients(
  database: Database,
  column: 'id' | 'number',
  values: readonly (string | number)[],
): Promise<StoredPatient[]> {
  if (values.length === 0) return [];
  const rows: PatientRow[] = await database.run(({ read, engine }) =>
    engine.whereIn(read(`${table} as p`).select(patientColumns), `p.${column}`, values),
  );
  return rows.map((row) => storedOf(database.engine, row));
}

export async function listPatients(database: Database, page: PatientPage): Promise<StoredPatient[]> {
  const rows: PatientRow[] = await database.run(({ read }) => {
    const query = read(`${table} as p`).select(patientColumns).orderBy('p.number').limit(page.limit);
    if (page.owner !== undefined) query.where('p.owner', page.owner);
    if (page.label !== undefined) query.where('p.label', page.label);
    if (page.after !== undefined) query.where('p.number', '>', page.after);
    return query;
  });
  return rows.map((row) => storedOf(database.engine, row));
}

export function savePatient(database: Database, save: PatientSave, now: Date): Promise<Saved> {
  return database.transaction(async (inside) => {
    for (;;) {
      const saved = (await replace(inside, save, now)) ?? (await insert(inside, save, now));
      // Neither: somebody else added the patient between the two looks, and the next one sees it.
      if (saved) return saved;
    }
  });
}

async function insert(
  inside: Database,
  { patient, facts, writer }: PatientSave,
  now: Date,
): Promise<Saved | undefined> {
  const { write, engine } = inside;
  const [added] = await write(table)
    .insert({
      id: patient.id,
      version: 1,
      owner: writer.owner,
      created: engine.values.time(now),
      ...dataOf(engine, patient, facts, now),
    })
    .onConflict('id')
    .ignore()
    .returning<{ number: number }[]>('number');
  if (!added) return undefined;
  const { number } = added;
  await notePending(inside, [number]);
  const stored = { number, version: 1, owner: writer.owner, created: now, updated: now, patient };
  return { outcome: 'inserted', stored };
}

/** Undefined where there is no patient of this id. */
async function replace(
  inside: Database,
  { patient, facts, writer }: PatientSave,
  now: Date,
): Promise<Saved | undefined> {
  const stored = await lockPatient(inside, 'id', patient.id);
  if (!stored) return undefined;
  refuseForeign(stored, writer);
  if (isDeepStrictEqual(stored.patient, JSON.parse(JSON.stringify(patient)))) return { outcome: 'unchanged', stored };
  return { outcome: 'updated', stored: await rewrite(inside, stored, patient, facts, now) };
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
    .update({ version: version + 1, ...dataOf(engine, patient, facts, now) });
  await notePending(inside, [number]);
  return { number, version: version + 1, owner, created, updated: now, patient };
}

export function holdPatient(database: Database, number: number): Promise<StoredPatient | undefined> {
  return database.run((inside) => lockPatient(inside, 'number', number));
}

async function lockPatient(
  { write, engine }: Database,
  column: 'id' | 'number',
  value: string | number,
): Promise<StoredPatient | undefined> {
  const query = write(`${table} as p`).select(patientColumns).where(`p.${column}`, value);
  const row = await engine.forUpdate(query).first<PatientRow | undefined>();
  return row && storedOf(engine, row);
}

function refuseForeign(stored: StoredPatient, { owner, all }: Writer): void {
  if (!all && stored.owner !== owner) {
    throw new Fault('forbidden', 'There is a patient of this id that belongs to another owner');
  }
}

async function notePending({ write, engine }: Database, numbers: readonly number[]): Promise<void> {
  await engine.append(
    write,
    'matchmaker_pending',
    ['number'],
    numbers.map((number) => [number]),
  );
}

export function removePatient(database: Database, id: string, writer: Writer): Promise<StoredPatient | undefined> {
  return database.transaction(async (inside) => {
    const stored = await lockPatient(inside, 'id', id);
    if (!stored) return undefined;
    refuseForeign(stored, writer);
    await inside.write(table).where({ number: stored.number }).delete();
    await settleNow(inside, stored.number);
    return stored;
  });
}

export function replaceFacts(
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

export async function listContacts(database: Database): Promise<{ href: string; patients: number }[]> {
  const rows = await database.query<{ href: string; patients: unknown }>(
    `select href, count(*) as patients from ${table} group by href order by href`,
    [],
  );
  return rows.map(({ href, patients }) => ({ href, patients: database.engine.values.parseBig(patients) }));
}

export function replaceContact(
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
    // In the order of their numbers, so that two of these cannot wait for each other.
    const rows: (PatientRow & { facts: unknown })[] = await engine.forUpdate(query.orderBy('p.number'));
    for (const row of rows) {
      const stored = storedOf(engine, row);
      const facts = { ...(engine.values.parseJson(row.facts) as PatientFacts), submitter };
      await rewrite(inside, stored, { ...stored.patient, contact }, facts, now);
    }
    return rows.length;
  });
}
