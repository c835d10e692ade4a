/**
 * beacon-protection@1 on SQL: its store, with statements of its own for what every answer reads and writes. Every no takes the same
 * statements, whether there are no carriers or carriers that cannot pay: the time that it takes must not tell which.
 */
import { keptRow } from '../../../core/storage.js';
import {
  type AccountSpending,
  type Asking,
  around,
  type Spendings,
  stretchNumbers,
} from '../../../plugins/beacon/contract.js';
import { accounts, answered, consulted, remembered, spent, store } from '../../../plugins/beacon/protection/store.js';
import type { Database } from '../binding.js';
import { slices } from '../lists.js';
import { sqlRowOf } from '../rows.js';
import { bindingOf } from '../storage.js';
import { tablesOn } from '../tables.js';

interface SpentRow {
  spent: number;
  spent_at: unknown;
}

const ofAccount = 'dataset = ? and account = ?';

/** By amounts and days, so that few rows hold what many people have spent. */
const groups =
  `select max(spent) as spent, max(spent_at) as spent_at, count(*) as people from ${spent.name} where ${ofAccount} ` +
  'group by cast(spent * 128 as integer), spent_at / 86400000';

const near = `select distinct sample from ${consulted.name} where ${ofAccount} and contig = ? and stretch between ? and ?`;

const spendingByAccount =
  'select account, count(*) as people, sum(spent) as spent, max(spent) as most, max(spent_at) as last ' +
  `from ${spent.name} where dataset = ? group by account order by account`;

/** An account that is there stays as it is, which writes nothing in SQLite. */
const held =
  `insert into ${accounts.name} (dataset, account, questions, hits) values (?, ?, 0, 0) ` +
  `on conflict (dataset, account) do update set questions = ${accounts.name}.questions`;

/** Rows of one INSERT. */
const atOnce = 100;

export default bindingOf(store, (database) => ({
  answer: async (asking, rule, now) =>
    (await remembered(tablesOn(database), asking, rule)) ??
    database.transaction((scope) => answered(tablesOn(scope, true), asking, rule, now, statementsOn(scope))),

  async spending(dataset) {
    const { parseBig } = database.engine.values;
    type Row = Omit<AccountSpending, 'people' | 'last'> & { people: unknown; last: unknown };
    const rows = await database.query<Row>(spendingByAccount, [dataset]);
    return rows.map(({ people, last, ...row }) => ({
      ...row,
      people: parseBig(people),
      last: new Date(parseBig(last)),
    }));
  },
}));

function statementsOn(scope: Database): Parameters<typeof answered>[4] {
  const { write, engine } = scope;
  return {
    hold: ({ dataset, account }) => scope.query(held, [dataset, account]),
    spendings: (asking) => spendings(scope, asking),
    async charge(rows) {
      for (const some of slices(rows, atOnce)) {
        const sqlRows = some.map((row) => sqlRowOf(engine.values, spent, keptRow(spent, row)));
        await write(spent.name)
          .insert(sqlRows)
          .onConflict([...spent.key])
          .merge(['spent', 'spent_at']);
      }
    },
    /** One statement for any number of people, none included. */
    consult({ dataset, account, region }, samples) {
      const rows = stretchNumbers(region).flatMap((stretch) => samples.map((sample) => [stretch, sample]));
      const bound = engine.bound({ stretch: 'integer', sample: 'text' });
      const selection = `select ?, ?, ?, q.stretch, q.sample from ${bound} q where true on conflict do nothing`;
      return write.raw(`insert into ${consulted.name} (${consulted.key.join(', ')}) ${selection}`, [
        ...[dataset, account, region.contig],
        engine.values.json(rows) as string,
      ]);
    },
  };
}

async function spendings(scope: Database, { dataset, account, carriers, region }: Asking): Promise<Spendings> {
  const { values, bound, lookUp } = scope.engine;
  const where = 'a.dataset = ? and a.account = ? and a.sample = q.sample';
  const single = `select a.sample, a.spent, a.spent_at ${lookUp(bound({ sample: 'text' }), spent.name, where)}`;
  const names = values.json(carriers.map((name) => [name])) as string;
  const rows = await scope.query<SpentRow & { sample: string }>(single, [names, dataset, account]);
  const grouped = await scope.query<SpentRow & { people: unknown }>(groups, [dataset, account]);
  const { contig, first, last } = around(region);
  const consultedRows = await scope.query<{ sample: string }>(near, [dataset, account, contig, first, last]);
  const at = (row: SpentRow) => new Date(values.parseBig(row.spent_at));
  return {
    carriers: new Map(rows.map((row) => [row.sample, { spent: row.spent, at: at(row) }])),
    people: grouped.map((row) => ({ spent: row.spent, at: at(row), people: values.parseBig(row.people) })),
    consulted: new Set(consultedRows.map(({ sample }) => sample)),
  };
}
