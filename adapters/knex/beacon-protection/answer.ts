/** One answer of beacon-protection@1: looked up without a lock, and decided again under a lock if it is to be charged. */
import {
  type AnswerRule,
  type Asking,
  type Decision,
  decided,
  type Spendings,
} from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { accounts, events, spent } from './migrations.js';

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

/** Rows of one INSERT. */
const atOnce = 100;

/**
 * Every no takes the same three statements, whether there are no carriers or carriers that cannot pay. Only a yes that
 * costs something takes a transaction.
 */
export async function answered(database: Database, asking: Asking, rule: AnswerRule, now: Date): Promise<boolean> {
  const { exists, charges } = await decision(database, asking, rule, now);
  if (!exists || charges.size === 0) return exists;
  return database.transaction((scope) => charged(scope, asking, rule, now));
}

async function charged(scope: Database, asking: Asking, rule: AnswerRule, now: Date): Promise<boolean> {
  const { write } = scope;
  const { dataset, account, event } = asking;
  // Answers to one account wait here for each other.
  await write(accounts)
    .insert({ dataset, account, questions: 0, hits: 0 })
    .onConflict(['dataset', 'account'])
    .merge({ questions: write.ref(`${accounts}.questions`) });
  const { exists, charges, remember } = await decision(scope, asking, rule, now);
  const rows = [...charges].map(([sample, after]) => ({
    dataset,
    account,
    sample,
    spent: after,
    spent_at: now.getTime(),
  }));
  for (let from = 0; from < rows.length; from += atOnce) {
    await write(spent)
      .insert(rows.slice(from, from + atOnce))
      .onConflict(['dataset', 'account', 'sample'])
      .merge(['spent', 'spent_at']);
  }
  if (remember) await write(events).insert({ dataset, account, event });
  return exists;
}

async function decision(database: Database, asking: Asking, rule: AnswerRule, now: Date): Promise<Decision> {
  const { dataset, account, event, carriers } = asking;
  const state = await spendings(database, asking);
  // Read last: what was spent for the same question a moment ago must not make it a no.
  const known = await database.query(remembered, [dataset, account, event]);
  if (known.length === 0) return decided(asking, rule, now, state);
  return { exists: carriers.length >= rule.allowed.least, charges: new Map(), remember: false };
}

async function spendings(database: Database, { dataset, account, carriers }: Asking): Promise<Spendings> {
  const { values, bound, lookUp } = database.engine;
  const where = 'a.dataset = ? and a.account = ? and a.sample = q.sample';
  const single = `select a.sample, a.spent, a.spent_at ${lookUp(bound({ sample: 'text' }), spent, where)}`;
  const names = values.json(carriers.map((name) => [name])) as string;
  const rows = await database.query<SpentRow & { sample: string }>(single, [names, dataset, account]);
  const grouped = await database.query<SpentRow & { people: unknown }>(groups, [dataset, account]);
  const at = (row: SpentRow) => new Date(values.parseBig(row.spent_at));
  return {
    carriers: new Map(rows.map((row) => [row.sample, { spent: row.spent, at: at(row) }])),
    people: grouped.map((row) => ({ spent: row.spent, at: at(row), people: values.parseBig(row.people) })),
  };
}
