/** The tables of beacon-protection@1, and one answer in a transaction on them. */
import {
  type AnswerRule,
  type Asking,
  around,
  decided,
  type Spendings,
  stretchNumbers,
} from '../../../plugins/beacon/contract.js';
import type { Database, SchemaStep } from '../binding.js';
import { slices } from '../slices.js';

export const publications = 'beacon_protection_publications';
export const people = 'beacon_protection_people';
export const spent = 'beacon_protection_spent';
export const events = 'beacon_protection_events';
export const accounts = 'beacon_protection_accounts';
export const consulted = 'beacon_protection_consulted';

/** The tables as release 0.2 has them. */
const first: SchemaStep = {
  replaces: ['001-publications-and-budgets'],
  async up(schema, { columns: column }) {
    await schema.schema.createTable(publications, (table) => {
      column.text(table, 'dataset').primary();
      column.time(table, 'created').notNullable();
      column.big(table, 'generation').notNullable();
      column.time(table, 'published').notNullable();
      column.big(table, 'alleles').notNullable();
      column.big(table, 'calls').notNullable();
      column.big(table, 'samples').notNullable();
      column.big(table, 'people').notNullable();
    });
    await schema.schema.createTable(people, (table) => {
      column.text(table, 'dataset').notNullable();
      column.text(table, 'sample').notNullable();
      // The generation in which it was published first.
      column.big(table, 'since').notNullable();
      table.boolean('leaving').notNullable();
      table.primary(['dataset', 'sample']);
    });
    await schema.schema.createTable(spent, (table) => {
      column.text(table, 'dataset').notNullable();
      column.text(table, 'account').notNullable();
      column.text(table, 'sample').notNullable();
      // In nats.
      table.double('spent').notNullable();
      // Milliseconds since 1970.
      column.big(table, 'spent_at').notNullable();
      table.primary(['dataset', 'account', 'sample']);
    });
    await schema.schema.createTable(events, (table) => {
      column.text(table, 'dataset').notNullable();
      column.text(table, 'account').notNullable();
      column.text(table, 'event').notNullable();
      table.primary(['dataset', 'account', 'event']);
    });
    await schema.schema.createTable(accounts, (table) => {
      column.text(table, 'dataset').notNullable();
      column.text(table, 'account').notNullable();
      column.big(table, 'questions').notNullable();
      column.big(table, 'hits').notNullable();
      table.primary(['dataset', 'account']);
    });
    await schema.schema.createTable(consulted, (table) => {
      column.text(table, 'dataset').notNullable();
      column.text(table, 'account').notNullable();
      column.text(table, 'contig').notNullable();
      // Of its stretches of a million bases, by number from 0.
      table.integer('stretch').notNullable();
      column.text(table, 'sample').notNullable();
      table.primary(['dataset', 'account', 'contig', 'stretch', 'sample']);
    });
  },
  async down(schema) {
    for (const table of [consulted, accounts, events, spent, people, publications]) {
      await schema.schema.dropTable(table);
    }
  },
};

export const migrations = { '002-consulted-people': first };

// One answer of beacon-protection@1.

interface SpentRow {
  spent: number;
  spent_at: unknown;
}

const ofAccount = 'dataset = ? and account = ?';

/** By amounts and days, so that few rows tell of many people. */
const groups =
  `select max(spent) as spent, max(spent_at) as spent_at, count(*) as people from ${spent} where ${ofAccount} ` +
  'group by cast(spent * 128 as integer), spent_at / 86400000';

const remembered = `select event from ${events} where ${ofAccount} and event = ?`;

const near = `select distinct sample from ${consulted} where ${ofAccount} and contig = ? and stretch between ? and ?`;

/** Rows of one INSERT. */
const atOnce = 100;

/**
 * Every no takes the same statements, whether there are no carriers or carriers that cannot pay, and writes: who was consulted, if only
 * nobody. A yes that was given before, and one that costs nothing, takes no transaction.
 */
export async function answered(database: Database, asking: Asking, rule: AnswerRule, now: Date): Promise<boolean> {
  if (await isRemembered(database, asking)) return asking.carriers.length >= rule.allowed.least;
  return database.transaction((scope) => decidedInTurn(scope, asking, rule, now));
}

async function isRemembered(database: Database, { dataset, account, event }: Asking): Promise<boolean> {
  return (await database.query(remembered, [dataset, account, event])).length > 0;
}

async function decidedInTurn(scope: Database, asking: Asking, rule: AnswerRule, now: Date): Promise<boolean> {
  const { write } = scope;
  const { dataset, account, event, carriers } = asking;
  // Answers to one account wait here for each other.
  await write(accounts)
    .insert({ dataset, account, questions: 0, hits: 0 })
    .onConflict(['dataset', 'account'])
    .merge({ questions: write.ref(`${accounts}.questions`) });
  // What was spent for the same question a moment ago must not make it a no.
  if (await isRemembered(scope, asking)) return carriers.length >= rule.allowed.least;
  const { exists, charges, consults, remember } = decided(asking, rule, now, await spendings(scope, asking));
  const rows = [...charges].map(([sample, after]) => ({
    dataset,
    account,
    sample,
    spent: after,
    spent_at: now.getTime(),
  }));
  for (const some of slices(rows, atOnce)) {
    await write(spent).insert(some).onConflict(['dataset', 'account', 'sample']).merge(['spent', 'spent_at']);
  }
  await note(scope, asking, consults);
  if (remember) await write(events).insert({ dataset, account, event });
  return exists;
}

/** One statement for any number of people, none included. */
async function note({ write, engine }: Database, asking: Asking, consults: readonly string[]): Promise<void> {
  const { dataset, account, region } = asking;
  const rows = stretchNumbers(region).flatMap((stretch) => consults.map((sample) => [stretch, sample]));
  const bound = engine.bound({ stretch: 'integer', sample: 'text' });
  const selection = `select ?, ?, ?, q.stretch, q.sample from ${bound} q where true on conflict do nothing`;
  await write.raw(`insert into ${consulted} (dataset, account, contig, stretch, sample) ${selection}`, [
    ...[dataset, account, region.contig],
    engine.values.json(rows) as string,
  ]);
}

async function spendings(database: Database, { dataset, account, carriers, region }: Asking): Promise<Spendings> {
  const { values, bound, lookUp } = database.engine;
  const where = 'a.dataset = ? and a.account = ? and a.sample = q.sample';
  const single = `select a.sample, a.spent, a.spent_at ${lookUp(bound({ sample: 'text' }), spent, where)}`;
  const names = values.json(carriers.map((name) => [name])) as string;
  const rows = await database.query<SpentRow & { sample: string }>(single, [names, dataset, account]);
  const grouped = await database.query<SpentRow & { people: unknown }>(groups, [dataset, account]);
  const { contig, first, last } = around(region);
  const consultedRows = await database.query<{ sample: string }>(near, [dataset, account, contig, first, last]);
  const at = (row: SpentRow) => new Date(values.parseBig(row.spent_at));
  return {
    carriers: new Map(rows.map((row) => [row.sample, { spent: row.spent, at: at(row) }])),
    people: grouped.map((row) => ({ spent: row.spent, at: at(row), people: values.parseBig(row.people) })),
    consulted: new Set(consultedRows.map(({ sample }) => sample)),
  };
}
