/** beacon-protection@1 on SQL: its tables, and one answer in a transaction on them. */
import {
  type AccountSpending,
  type AccountTally,
  type AnswerRule,
  type Asking,
  around,
  beaconProtection,
  decided,
  type ProtectionRepository,
  type Publication,
  type Spendings,
  stretchNumbers,
} from '../../../plugins/beacon/contract.js';
import { type Database, defineBinding, type SchemaStep, type StoredRows } from '../binding.js';
import { readRows } from '../rows.js';
import { slices } from '../slices.js';

const publications = 'beacon_protection_publications';
const people = 'beacon_protection_people';
const spent = 'beacon_protection_spent';
const events = 'beacon_protection_events';
const accounts = 'beacon_protection_accounts';
const consulted = 'beacon_protection_consulted';

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

const migrations = { '002-consulted-people': first };

// One answer of beacon-protection@1.

interface SpentRow {
  spent: number;
  spent_at: unknown;
}

const ofAccount = 'dataset = ? and account = ?';

/** By amounts and days, so that few rows hold what many people have spent. */
const groups =
  `select max(spent) as spent, max(spent_at) as spent_at, count(*) as people from ${spent} where ${ofAccount} ` +
  'group by cast(spent * 128 as integer), spent_at / 86400000';

const remembered = `select event from ${events} where ${ofAccount} and event = ?`;

const near = `select distinct sample from ${consulted} where ${ofAccount} and contig = ? and stretch between ? and ?`;

/** Rows of one INSERT. */
const atOnce = 100;

/**
 * Every no takes the same statements, whether there are no carriers or carriers that cannot pay, and writes: who was consulted, even if
 * that is an empty list. A yes that was given before, and one that costs nothing, takes no transaction.
 */
async function answered(database: Database, asking: Asking, rule: AnswerRule, now: Date): Promise<boolean> {
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

/** Accounts before what they have spent: an answer holds its account first, and then never waits. */
const tables = [publications, people, accounts, spent, events, consulted];

interface PublicationRow {
  dataset: string;
  created: unknown;
  generation: unknown;
  published: unknown;
  alleles: unknown;
  calls: unknown;
  samples: unknown;
  people: unknown;
}

const publicationRows: StoredRows<PublicationRow, Publication> = {
  table: publications,
  key: 'dataset',
  columns: ['dataset', 'created', 'generation', 'published', 'alleles', 'calls', 'samples', 'people'],
  read: ({ parseTime, parseBig }, row) => ({
    dataset: row.dataset,
    created: parseTime(row.created),
    generation: parseBig(row.generation),
    at: parseTime(row.published),
    totals: { alleles: parseBig(row.alleles), calls: parseBig(row.calls), samples: parseBig(row.samples) },
    people: parseBig(row.people),
  }),
};

interface CountedPersonRow {
  sample: string;
  since: unknown;
  leaving: number | boolean;
}

interface SpendingRow extends Omit<AccountSpending, 'people' | 'last'> {
  people: unknown;
  last: unknown;
}

const spendingByAccount =
  'select account, count(*) as people, sum(spent) as spent, max(spent) as most, max(spent_at) as last ' +
  `from ${spent} where dataset = ? group by account order by account`;

function repository(database: Database): ProtectionRepository {
  const { values } = database.engine;
  return {
    async publications() {
      const selection = `select ${publicationRows.columns.join(', ')} from ${publications} order by dataset`;
      return readRows(database, publicationRows, await database.query<PublicationRow>(selection, []));
    },

    published: (dataset) =>
      database.snapshot(async (scope) => {
        const [row] = await scope.query<{ generation: unknown }>(
          `select generation from ${publications} where dataset = ?`,
          [dataset],
        );
        if (row === undefined) return undefined;
        const found = await scope.query<Omit<CountedPersonRow, 'leaving'>>(
          `select sample, since from ${people} where dataset = ?`,
          [dataset],
        );
        // Databases order by code point.
        found.sort((one, other) => (one.sample < other.sample ? -1 : 1));
        return {
          generation: values.parseBig(row.generation),
          samples: found.map(({ sample }) => sample),
          since: found.map(({ since }) => values.parseBig(since)),
        };
      }),

    publish: ({ dataset, created, samples, totals }, now, options) =>
      database.transaction(async (scope) => {
        const { write, engine } = scope;
        const published = {
          created: values.time(created),
          published: values.time(now),
          ...totals,
          people: samples.length,
        };
        const after = options?.after;
        const added = after
          ? []
          : await write(publications)
              .insert({ dataset, generation: 1, ...published })
              .onConflict('dataset')
              .ignore()
              .returning('dataset');
        let generation = 1;
        const before = new Map<string, CountedPersonRow>();
        if (added.length === 0) {
          const [known]: PublicationRow[] = await engine.forUpdate(write(publications).where({ dataset }));
          const isSame = known !== undefined && values.parseTime(known.created).getTime() === created.getTime();
          const last = isSame ? values.parseBig(known.generation) : 0;
          if (after !== undefined && after !== last) return false;
          generation = last + 1;
          const rows: CountedPersonRow[] = isSame
            ? await write(people).select('sample', 'since', 'leaving').where({ dataset })
            : [];
          for (const one of rows) before.set(one.sample, one);
          await write(publications)
            .where({ dataset })
            .update({ generation, ...published });
          await write(people).where({ dataset }).delete();
        }
        const no = values.boolean(false) as number | boolean;
        const rows = samples.map((sample) => {
          const known = before.get(sample);
          return [dataset, sample, known ? values.parseBig(known.since) : generation, known?.leaving ?? no] as const;
        });
        await engine.append(write, people, ['dataset', 'sample', 'since', 'leaving'], rows);
        return true;
      }),

    async withdraw(dataset, samples) {
      await database.transaction(async ({ write, engine }) => {
        // A publication that runs would replace the rows without the mark.
        await engine.forUpdate(write(publications).where({ dataset }));
        await engine
          .whereIn(write(people).where({ dataset }), 'sample', [...new Set(samples)])
          .update({ leaving: values.boolean(true) });
      });
    },

    async leaving(dataset) {
      const found: { sample: string }[] = await database.run(({ read }) =>
        read(people)
          .select('sample')
          .where({ dataset, leaving: values.boolean(true) }),
      );
      return found.map(({ sample }) => sample).sort();
    },

    forget: (samples) =>
      database.transaction(async ({ write, engine }) => {
        const names = [...new Set(samples)];
        // Locked in one order, against deadlocks with publications.
        const all: PublicationRow[] = await engine.forUpdate(write(publications).orderBy('dataset'));
        for (const { dataset, generation, people: before } of all) {
          const gone: number = await engine.whereIn(write(people).where({ dataset }), 'sample', names).delete();
          await write(publications)
            .where({ dataset })
            .update({ generation: values.parseBig(generation) + 1, people: values.parseBig(before) - gone });
        }
        // Answers that run hold their account: they would write what they have read, and rows in any order.
        await engine.forUpdate(write(accounts).select('account').orderBy(['dataset', 'account']));
        for (const table of [spent, consulted]) await engine.whereIn(write(table), 'sample', names).delete();
      }),

    drop: (dataset) =>
      database.transaction(async ({ write }) => {
        for (const table of tables) await write(table).where({ dataset }).delete();
      }),

    answer: (asking, rule, now) => answered(database, asking, rule, now),

    async spending(dataset) {
      const rows = await database.query<SpendingRow>(spendingByAccount, [dataset]);
      return rows.map(({ account, people: count, spent: sum, most, last }) => ({
        account,
        people: values.parseBig(count),
        spent: sum,
        most,
        last: new Date(values.parseBig(last)),
      }));
    },

    count: (dataset, counted) =>
      database.transaction(async ({ write }) => {
        for (const { account, questions, hits } of [...counted].sort((a, b) => (a.account < b.account ? -1 : 1))) {
          await write(accounts)
            .insert({ dataset, account, questions, hits })
            .onConflict(['dataset', 'account'])
            .merge({
              questions: write.raw('?? + ?', [`${accounts}.questions`, questions]),
              hits: write.raw('?? + ?', [`${accounts}.hits`, hits]),
            });
        }
      }),

    async tallies(dataset) {
      const rows: { account: string; questions: unknown; hits: unknown }[] = await database.run(({ read }) =>
        read(accounts)
          .select('account', 'questions', 'hits')
          .where({ dataset })
          .where('questions', '>', 0)
          .orderBy('account'),
      );
      return rows.map(
        ({ account, questions, hits }): AccountTally => ({
          account,
          questions: values.parseBig(questions),
          hits: values.parseBig(hits),
        }),
      );
    },
  };
}

export default defineBinding({ contract: beaconProtection, migrations, rows: [publicationRows], repository });
