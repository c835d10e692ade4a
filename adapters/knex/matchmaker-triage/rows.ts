/** The tables of matchmaker-triage@1, and their rows. */
import {
  isRecord,
  revived,
  type Seen,
  type TriageRow,
  type TriageWork,
  textOf,
} from '../../../plugins/matchmaker/contract.js';
import type { Engine, SchemaStep } from '../binding.js';
import { intact, type StoredRows } from '../rows.js';

export const submissions = 'matchmaker_triage_submissions';
export const rows = 'matchmaker_triage_rows';
export const names = 'matchmaker_triage_names';
export const visits = 'matchmaker_triage_visits';

const triage: SchemaStep = {
  async up(schema, { columns }) {
    // One row for each submission that was ever seen: searches lock it. Of one that was forgotten only the number stays.
    await schema.schema.createTable(submissions, (table) => {
      table.integer('number').primary();
      table.boolean('gone').notNullable();
      columns.json(table, 'history').notNullable();
    });
    await schema.schema.createTable(rows, (table) => {
      columns.text(table, 'id').primary();
      table.integer('submission').notNullable().index();
      columns.text(table, 'owner').notNullable();
      columns.text(table, 'node').notNullable();
      columns.text(table, 'patient').notNullable();
      columns.time(table, 'first_seen').notNullable();
      columns.time(table, 'last_seen').notNullable();
      columns.json(table, 'seen').notNullable();
      columns.text(table, 'text').notNullable();
      table.integer('revision').notNullable();
      columns.text(table, 'status').notNullable();
      columns.text(table, 'assignee');
      columns.json(table, 'work').notNullable();
      table.index(['owner', 'submission', 'last_seen'], 'matchmaker_triage_of_owner');
    });
    // By which a counterpart is found: "p:" with an id that it has or had, "c:" with the digest of its content.
    await schema.schema.createTable(names, (table) => {
      columns.text(table, 'name').notNullable();
      columns.text(table, 'node').notNullable();
      table.integer('submission').notNullable();
      columns.text(table, 'row').notNullable().index();
      table.primary(['name', 'node', 'submission', 'row']);
    });
    await schema.schema.createTable(visits, (table) => {
      columns.text(table, 'person').notNullable();
      table.integer('submission').notNullable().index();
      columns.time(table, 'since');
      columns.time(table, 'at').notNullable();
      table.primary(['person', 'submission']);
    });
  },
  async down(schema) {
    for (const table of [visits, names, rows, submissions]) await schema.schema.dropTable(table);
  },
};

export const migrations = { '001-triage': triage };

// Rows of triage.

export interface StoredTriageRow {
  id: string;
  submission: number;
  owner: string;
  node: string;
  patient: string;
  first_seen: unknown;
  last_seen: unknown;
  seen: unknown;
  revision: number;
  work: unknown;
}

/** The columns that a search writes; all others are what people note. */
export const seenColumns = ['node', 'patient', 'last_seen', 'seen', 'text'] as const;

/** A damaged row is left out: the next search makes another one. */
export const triageRows: StoredRows<StoredTriageRow, TriageRow> = {
  table: rows,
  key: 'id',
  columns: ['id', 'submission', 'owner', 'node', 'patient', 'first_seen', 'last_seen', 'seen', 'revision', 'work'],
  read(values, { id, submission, owner, node, patient, first_seen, last_seen, seen: stored, revision, work: noted }) {
    const seen = values.parseJson(stored);
    const work = values.parseJson(noted);
    intact(isRecord(seen) && isRecord(seen.contact) && isRecord(seen.score) && Array.isArray(seen.scores));
    intact([seen.genes, seen.terms, seen.stated, seen.formerIds, seen.own].every(Array.isArray));
    intact(isRecord(work) && typeof work.status === 'string' && Array.isArray(work.history));
    return {
      ...revived(seen as unknown as Seen, 'scores'),
      ...{ id, submission, owner, node, patient, revision },
      firstSeen: values.parseTime(first_seen),
      lastSeen: values.parseTime(last_seen),
      work: revived(work as unknown as TriageWork, 'history'),
    };
  },
};

export function columnsOfTriageRow(row: TriageRow, values: Engine['values']) {
  const { id, submission, owner, node, patient, firstSeen, lastSeen, revision, work, ...seen } = row;
  return {
    ...{ id, submission, owner, node, patient, revision },
    first_seen: values.time(firstSeen),
    last_seen: values.time(lastSeen),
    seen: values.json(seen),
    text: textOf(row),
    ...workColumns(work, values),
  };
}

export function workColumns(work: TriageWork, values: Engine['values']) {
  return { status: work.status, assignee: work.assignee ?? null, work: values.json(work) };
}

/** All names by which the row is found. */
export function namesOfTriageRow({ id, node, submission, patient, formerIds, content }: TriageRow) {
  const all = [...[patient, ...formerIds].map(idName), contentName(content)];
  return all.map((name) => ({ name, node, submission, row: id }));
}

export const idName = (id: string) => `p:${id}`;
export const contentName = (content: string) => `c:${content}`;
