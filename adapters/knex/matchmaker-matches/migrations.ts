/** The schema history of matchmaker-matches@1. */
import type { Knex } from 'knex';
import type { Engine, SchemaStep } from '../binding.js';
import { type Document, documentIn } from './records.js';
import { forms, found, loose, ofOthers, records } from './tables.js';

const first: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.createTable('matchmaker_matches_records', (table) => {
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
    });
    await schema.schema.createTable('matchmaker_matches_found', (table) => {
      table.integer('record').notNullable();
      columns.text(table, 'patient_id').notNullable().index();
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
    for (const table of ['genes', 'tally', 'found', 'records']) {
      await schema.schema.dropTable(`matchmaker_matches_${table}`);
    }
  },
};

const exchange: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.alterTable('matchmaker_matches_records', (table) => {
      // The key of the search, if it has one.
      columns.text(table, 'search');
      table.unique(['search']);
      table.index(['direction', 'type', 'asker', 'patient_id', 'number'], 'matchmaker_matches_queries');
    });
  },
  async down(schema) {
    await schema.schema.alterTable('matchmaker_matches_records', (table) => {
      table.dropIndex([], 'matchmaker_matches_queries');
      table.dropUnique(['search']);
      table.dropColumn('search');
    });
  },
};

/** Found patients are kept once for all records that found them. Earlier records keep those that are in them. */
const shared: SchemaStep = {
  async up(schema, { columns }) {
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
    await schema.schema.alterTable(found, (table) => {
      // Null if the record itself has the patient.
      table.integer('form');
    });
  },
  async down(schema, engine) {
    await inlineForms(schema, engine);
    await schema.raw('alter table ?? drop column ??', [found, 'form']);
    for (const table of [loose, forms]) await schema.schema.dropTable(table);
  },
};

/** Records rewritten by one statement. */
const portion = 100;

/** Puts the found patients into the records themselves. Damaged records stay as they are. */
async function inlineForms(schema: Knex, { values, whereIn }: Engine): Promise<void> {
  for (let after = 0; ; ) {
    const rows: { number: number; document: unknown }[] = await schema(records)
      .select('number', 'document')
      .where('number', '>', after)
      .whereIn('number', schema(found).select('record').whereNotNull('form'))
      .orderBy('number')
      .limit(portion);
    const links = whereIn(
      schema(found).select('form').whereNotNull('form'),
      'record',
      rows.map(({ number }) => number),
    );
    const there: { id: number; document: unknown }[] = await schema(forms)
      .select('id', 'document')
      .whereIn('id', links);
    const patients = new Map(there.map(({ id, document }) => [id, document]));
    for (const { number, document } of rows) {
      after = number;
      const whole = inlined(values, document, patients);
      if (whole !== undefined) await schema(records).where({ number }).update({ document: whole });
    }
    if (rows.length < portion) return;
  }
}

/** Undefined if the record is damaged. */
function inlined(values: Engine['values'], stored: unknown, patients: ReadonlyMap<number, unknown>): unknown {
  let document: Document;
  try {
    document = documentIn(values, stored);
  } catch {
    return undefined;
  }
  const results = document.results.map(({ node, patients: all }) => ({
    node,
    patients: all.flatMap((one) => {
      if (!('form' in one)) return [one];
      const patient = patients.get(one.form);
      return patient === undefined ? [] : [{ patient: values.parseJson(patient), score: one.score }];
    }),
  }));
  return values.json({ ...document, results });
}

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

export const migrations = {
  '001-records': first,
  '002-exchange': exchange,
  '003-shared-patients': shared,
  '004-latest-queries': latest,
};
