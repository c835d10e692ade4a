/** The schema history of matchmaker@1, and how a patient is stored in a row of `matchmaker_patients`. */
import {
  isFacts,
  isPatient,
  type Patient,
  type PatientFacts,
  type StoredPatient,
} from '../../../plugins/matchmaker/contract.js';
import type { Engine, SchemaStep } from '../binding.js';
import { intact, type StoredRows } from '../rows.js';

/** The tables as release 0.2 has them. */
const patientsAndClients: SchemaStep = {
  replaces: ['001-patients'],
  async up(schema, { columns }) {
    await schema.schema.createTable('matchmaker_patients', (table) => {
      table.increments('number');
      columns.text(table, 'id').notNullable().unique();
      table.integer('version').notNullable();
      columns.text(table, 'owner').notNullable();
      columns.text(table, 'label').index();
      columns.text(table, 'href').notNullable().index();
      columns.time(table, 'created').notNullable();
      columns.time(table, 'updated').notNullable();
      columns.json(table, 'document').notNullable();
      columns.json(table, 'facts').notNullable();
      table.index(['owner', 'number']);
    });
    // Written by every change, in any order; see `changes.ts`.
    await schema.schema.createTable('matchmaker_pending', (table) => {
      table.increments('id');
      table.integer('number').notNullable().index();
    });
    await schema.schema.createTable('matchmaker_feed', (table) => {
      table.integer('number').primary();
      columns.big(table, 'revision').notNullable().unique();
      // The part of the totals that is due to the patient; null once it is removed.
      columns.json(table, 'facts');
    });
    await schema.schema.createTable('matchmaker_tally', (table) => {
      columns.text(table, 'key').primary();
      columns.big(table, 'count').notNullable();
    });
    await schema.schema.createTable('matchmaker_totals', (table) => {
      table.integer('id').primary();
      columns.big(table, 'revision').notNullable();
      columns.json(table, 'counts').notNullable();
    });
    await schema('matchmaker_totals').insert({ id: 1, revision: 0, counts: '{}' });
    await schema.schema.createTable('matchmaker_clients', (table) => {
      columns.text(table, 'id').primary();
      columns.text(table, 'url');
      columns.text(table, 'contact');
      columns.time(table, 'created').notNullable();
    });
  },
  async down(schema) {
    for (const table of ['clients', 'totals', 'tally', 'feed', 'pending', 'patients']) {
      await schema.schema.dropTable(`matchmaker_${table}`);
    }
  },
};

export const migrations = { '002-clients': patientsAndClients };

// How a patient is stored in a row of `matchmaker_patients`.

export interface StoredPatientRow {
  number: number;
  version: number;
  owner: string;
  created: unknown;
  updated: unknown;
  document: unknown;
}

/** The columns that a patient is read from, of a row `p`. */
export const patientColumns = ['p.number', 'p.version', 'p.owner', 'p.created', 'p.updated', 'p.document'];

export const patientRows: StoredRows<StoredPatientRow & { facts?: unknown }, StoredPatient> = {
  table: 'matchmaker_patients',
  key: 'number',
  columns: ['number', 'version', 'owner', 'created', 'updated', 'document', 'facts'],
  read(values, row) {
    const patient = values.parseJson(row.document);
    intact(isPatient(patient));
    intact(row.facts === undefined || isFacts(values.parseJson(row.facts)));
    return {
      number: row.number,
      version: row.version,
      owner: row.owner,
      created: values.parseTime(row.created),
      updated: values.parseTime(row.updated),
      patient,
    };
  },
};

/** The stored facts; undefined if there are none, or if they cannot be read. */
export function factsIn({ values }: Engine, stored: unknown): PatientFacts | undefined {
  if (stored === null) return undefined;
  try {
    const facts = values.parseJson(stored);
    return isFacts(facts) ? facts : undefined;
  } catch {
    return undefined;
  }
}

/** The columns derived from a patient's data. */
export function dataOfPatient({ values }: Engine, patient: Patient, facts: PatientFacts, now: Date) {
  return {
    label: patient.label ?? null,
    href: patient.contact.href,
    updated: values.time(now),
    document: values.json(patient),
    facts: values.json(facts),
  };
}
