/**
 * The tables of matchmaker-matches@1 with their history, and found patients, each kept once for all records that found it in
 * the same form on the same node. A form is identified by its content, so that it never changes. Records are added without a
 * lock on the forms that they refer to: each form notes the last day on which it was found, and is deleted only if that is some
 * days ago and no record refers to it. No transaction lasts that long, so that none can refer to a form that another one
 * deletes. Only `scrub` deletes forms at once: a record that refers to such a form has lost the patient, as is intended.
 */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { jsonOf } from '../../../core/storage.js';
import { hasId, type Patient } from '../../../plugins/matchmaker/contract.js';
import type { Database, Engine, Scalar, SchemaStep } from '../binding.js';
import { intact, readRows, refuseUnstorable, type StoredRows } from '../rows.js';

/** One row for each record. */
export const records = 'matchmaker_matches_records';
/** The ids of the patients that each record found. */
export const foundPatients = 'matchmaker_matches_found';
/** Found patients, each kept once for all records that found it in the same form on the same node. */
const forms = 'matchmaker_matches_patients';
/** Numbers of forms of which a record was deleted: perhaps no other record has them. */
const loose = 'matchmaker_matches_loose';

/**
 * The records of queries by clients, as literals, so that the partial index applies. Later records for the same query do not
 * count: they would keep it longer than its own retention time.
 */
export const ofOthers = "direction = 'incoming' and type = 'internal' and search is null";

// The schema history of matchmaker-matches@1.

/** The tables as release 0.2 has them. */
const first: SchemaStep = {
  replaces: ['001-records', '002-exchange'],
  async up(schema, { columns }) {
    await schema.schema.createTable(records, (table) => {
      table.increments('number');
      columns.text(table, 'id').notNullable().unique();
      columns.time(table, 'created').notNullable().index();
      columns.text(table, 'type').notNullable();
      columns.text(table, 'direction').notNullable();
      columns.text(table, 'asker').notNullable();
      // The query: its id, and its number if it is stored here.
      columns.text(table, 'patient_id').notNullable().index();
      table.integer('patient_number');
      // 1 if a patient was found.
      table.specificType('found', 'smallint').notNullable();
      columns.json(table, 'document').notNullable();
      // The key of the search, if it has one.
      columns.text(table, 'search');
      table.unique(['search']);
      table.index(['direction', 'type', 'asker', 'patient_id', 'number'], 'matchmaker_matches_queries');
    });
    // Found patients are kept once for all records that found them.
    await schema.schema.createTable(forms, (table) => {
      table.increments('id');
      columns.text(table, 'digest').notNullable().unique();
      columns.text(table, 'node').notNullable();
      columns.text(table, 'patient_id').notNullable().index();
      // The last day on which it was found, in days since 1970.
      table.integer('seen').notNullable();
      columns.json(table, 'document').notNullable();
    });
    await schema.schema.createTable(loose, (table) => {
      table.integer('form').primary();
    });
    await schema.schema.createTable(foundPatients, (table) => {
      table.integer('record').notNullable();
      columns.text(table, 'patient_id').notNullable().index();
      // Null if the record itself has the patient.
      table.integer('form');
      table.primary(['record', 'patient_id']);
    });
    // One row per search, merged into one from time to time: with a counter, searches would wait for each other.
    await schema.schema.createTable('matchmaker_matches_tally', (table) => {
      table.increments('id');
      columns.big(table, 'requests').notNullable();
      columns.big(table, 'sent').notNullable();
    });
    await schema.schema.createTable('matchmaker_matches_genes', (table) => {
      columns.text(table, 'gene').primary();
    });
  },
  async down(schema) {
    const tables = ['matchmaker_matches_genes', 'matchmaker_matches_tally', foundPatients, loose, forms, records];
    for (const table of tables) await schema.schema.dropTable(table);
  },
};

/** Every saved patient is compared with the latest queries: they are found without reading other records, or documents. */
const latest: SchemaStep = {
  async up(schema) {
    await schema.raw(
      `create index matchmaker_matches_latest on ${records} (asker, patient_id, number) where ${ofOthers}`,
    );
  },
  async down(schema) {
    await schema.raw('drop index matchmaker_matches_latest');
  },
};

export const migrations = { '003-shared-patients': first, '004-latest-queries': latest };

/** A patient as a node returned it. */
export interface Form {
  digest: string;
  node: string;
  patient: string;
  document: string;
}

/** Days for which a form that was found is kept in any case. */
const heldDays = 2;
/** Forms deleted by one statement. */
const portion = 500;

function today(): number {
  return Math.floor(Date.now() / (24 * 60 * 60 * 1000));
}

/** Forms by patient and node: a server finds the same patients, as the same objects, in many searches. */
const formsByPatient = new WeakMap<Patient, Form>();

export function formOfPatient(patient: Patient, node: string): Form {
  const before = formsByPatient.get(patient);
  if (before?.node === node) return before;
  const document = jsonOf(patient);
  const digest = createHash('sha256').update(JSON.stringify(node)).update(document).digest('base64url');
  const form = { digest, node, patient: patient.id, document };
  formsByPatient.set(patient, form);
  return form;
}

/**
 * Numbers of forms that are stored and were found today, by storage: these need not be looked up. A form is kept for as long as
 * its patient object is: if the patient is erased, here or by another server, later searches find other objects.
 */
const formsByEngine = new WeakMap<Engine, WeakMap<Form, { id: number; day: number }>>();

function storedForms(engine: Engine): WeakMap<Form, { id: number; day: number }> {
  const forms = formsByEngine.get(engine) ?? new WeakMap();
  formsByEngine.set(engine, forms);
  return forms;
}

/** Stores the forms that are not stored yet; returns their numbers by digest. */
export async function keepForms(inside: Database, all: readonly Form[]): Promise<ReadonlyMap<string, number>> {
  const known = storedForms(inside.engine);
  const day = today();
  const numbers = new Map<string, number>();
  const others: Form[] = [];
  for (const form of all) {
    const before = known.get(form);
    if (before?.day === day) numbers.set(form.digest, before.id);
    else others.push(form);
  }
  const wanted = new Map(others.filter(({ digest }) => !numbers.has(digest)).map((form) => [form.digest, form]));
  if (wanted.size === 0) return numbers;
  await store(inside, wanted, day, numbers);
  inside.onCommit(() => {
    for (const form of wanted.values()) {
      const id = numbers.get(form.digest);
      if (id !== undefined) known.set(form, { id, day });
    }
  });
  return numbers;
}

async function store(
  inside: Database,
  wanted: ReadonlyMap<string, Form>,
  day: number,
  numbers: Map<string, number>,
): Promise<void> {
  const { engine } = inside;
  const there = await inside.query<FormName>(
    `select a.id, a.digest ${engine.lookUp(engine.bound({ digest: 'text' }), forms, 'a.digest = q.digest and a.seen >= ?')}`,
    [engine.values.json([...wanted.keys()].map((digest) => [digest])) as string, day],
  );
  for (const { id, digest } of there) numbers.set(digest, id);
  // In a fixed order, so that two of these cannot deadlock.
  const missing = [...wanted.values()].filter(({ digest }) => !numbers.has(digest)).sort(byDigest);
  if (missing.length === 0) return;
  refuseUnstorable(missing.flatMap(({ node, patient }) => [node, patient]));
  const rows = missing.map(({ digest, node, patient, document }): Scalar[] => [digest, node, patient, day, document]);
  const bound = engine.bound({ digest: 'text', node: 'text', patient_id: 'text', seen: 'integer', document: 'json' });
  const added = await inside.query<FormName>(
    `insert into ${forms} (digest, node, patient_id, seen, document)
     select digest, node, patient_id, seen, document from ${bound} q where true
     on conflict (digest) do update set seen = excluded.seen returning id, digest`,
    [engine.values.json(rows) as string],
  );
  for (const { id, digest } of added) numbers.set(digest, id);
}

interface FormName {
  id: number;
  digest: string;
}

function byDigest(one: Form, other: Form): number {
  return one.digest < other.digest ? -1 : 1;
}

interface FormRow {
  id: number;
  document: unknown;
}

/** A damaged form is left out, and with it the patient from the records that found it. */
export const formRows: StoredRows<FormRow, { id: number; patient: Patient }> = {
  table: forms,
  key: 'id',
  columns: ['id', 'document'],
  read(values, { id, document }) {
    const patient = values.parseJson(document);
    intact(hasId(patient));
    return { id, patient: patient as Patient };
  },
};

/** The patients of these forms, by number; those of forms that are gone are missing. */
export async function patientsOfForms(
  database: Database,
  numbers: Iterable<number>,
): Promise<ReadonlyMap<number, Patient>> {
  const wanted = [...new Set(numbers)];
  if (wanted.length === 0) return new Map();
  const { engine } = database;
  const rows = await database.query<FormRow>(
    `select a.id, a.document ${engine.lookUp(engine.bound({ id: 'integer' }), forms, 'a.id = q.id')}`,
    [engine.values.json(wanted.map((id) => [id])) as string],
  );
  return new Map(readRows(database, formRows, rows).map(({ id, patient }) => [id, patient]));
}

/** To be called before records are deleted, with a query of their numbers. */
export async function loosen({ write }: Database, deleted: Knex.QueryBuilder): Promise<void> {
  const selected = write(foundPatients).distinct('form').whereNotNull('form').whereIn('record', deleted);
  const { sql, bindings } = selected.toSQL();
  await write.raw(`insert into ${loose} (form) ${sql} on conflict (form) do nothing`, [...bindings] as Knex.Value[]);
}

/** Deletes forms that no record has any more. */
export async function sweepForms(inside: Database): Promise<void> {
  const { write, engine } = inside;
  const held = today() - heldDays;
  for (;;) {
    // In the order in which they are added, so that the two cannot deadlock.
    const candidates: { id: number }[] = await engine.forUpdate(
      write(forms)
        .select('id')
        .whereIn('id', write(loose).select('form'))
        .where('seen', '<', held)
        .orderBy('digest')
        .limit(portion),
    );
    if (candidates.length === 0) {
      // Records may also refer to forms that `scrub` deleted.
      const there = write(forms)
        .select(write.raw('1'))
        .whereRaw('?? = ??', [`${forms}.id`, `${loose}.form`]);
      await write(loose).whereNotExists(there).delete();
      return;
    }
    const ids = candidates.map(({ id }) => id);
    const used = write(foundPatients)
      .select(write.raw('1'))
      .whereRaw('?? = ?? and ?? = ??', ['patient_id', `${forms}.patient_id`, 'form', `${forms}.id`]);
    await engine.whereIn(write(forms), 'id', ids).whereNotExists(used).delete();
    await engine.whereIn(write(loose), 'form', ids).delete();
  }
}

/** Deletes all forms of a patient, or those that one node found. */
export async function deleteForms(inside: Database, patient: string, node: string | undefined): Promise<void> {
  const { write, engine } = inside;
  inside.onCommit(() => formsByEngine.delete(engine));
  const chosen = () => write(forms).where(node === undefined ? { patient_id: patient } : { patient_id: patient, node });
  await write(loose).whereIn('form', chosen().select('id')).delete();
  await chosen().delete();
}
