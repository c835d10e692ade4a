/** beacon-protection@1 on SQL. */
import {
  type AccountSpending,
  type AccountTally,
  beaconProtection,
  type ProtectionRepository,
  type Publication,
} from '../../../plugins/beacon/contract.js';
import { type Database, defineBinding, type StoredRows } from '../binding.js';
import { readRows } from '../rows.js';
import { accounts, answered, consulted, events, migrations, people, publications, spent } from './answer.js';

/** Accounts before what they have spent: an answer holds its account first, and then waits for nobody. */
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
