/** beacon-protection@1 above tables. */
import {
  boolean,
  defineStore,
  defineTable,
  double,
  integer,
  json,
  type RowOf,
  small,
  text,
  time,
} from '../../../core/storage.js';
import {
  type AccountSpending,
  around,
  beaconProtection,
  decided,
  type ProtectionRepository,
  type PublishedTotals,
  stretchNumbers,
} from './contract.js';

/** None with generation 0 outlives the transaction that added it. */
const publications = defineTable({
  name: 'beacon_protection_publications',
  columns: {
    dataset: text(),
    created: time(),
    generation: integer(),
    at: time(),
    totals: json<PublishedTotals>(),
    people: integer(),
  },
  key: ['dataset'],
});

const people = defineTable({
  name: 'beacon_protection_people',
  columns: { dataset: text(), sample: text(), since: integer(), leaves: boolean() },
  key: ['dataset', 'sample'],
});

/** The row of an account also makes its answers wait for each other. */
const accounts = defineTable({
  name: 'beacon_protection_accounts',
  columns: { dataset: text(), account: text(), questions: integer(), hits: integer() },
  key: ['dataset', 'account'],
});

const spent = defineTable({
  name: 'beacon_protection_spent',
  columns: { dataset: text(), account: text(), sample: text(), spent: double(), at: time() },
  key: ['dataset', 'account', 'sample'],
});

const events = defineTable({
  name: 'beacon_protection_events',
  columns: { dataset: text(), account: text(), event: text() },
  key: ['dataset', 'account', 'event'],
});

const consulted = defineTable({
  name: 'beacon_protection_consulted',
  columns: { dataset: text(), account: text(), contig: text(), stretch: small(), sample: text() },
  key: ['dataset', 'account', 'contig', 'stretch', 'sample'],
});

const all = [publications, people, accounts, spent, events, consulted] as const;

function byColumn<Key extends string>(key: Key) {
  return (one: Record<Key, string>, other: Record<Key, string>) => (one[key] < other[key] ? -1 : 1);
}

export const store = defineStore<ProtectionRepository>({
  contract: beaconProtection,
  tables: all,
  steps: { '001-publications-and-budgets': { tables: all } },
  repository: (tables) => ({
    publications: () => tables.table(publications).find({ order: ['dataset'] }),

    published: (dataset) =>
      tables.snapshot(async (moment) => {
        const known = await moment.table(publications).one({ dataset });
        if (known === undefined) return undefined;
        const found = (await moment.table(people).find({ where: { dataset } })).sort(byColumn('sample'));
        const { generation } = known;
        return { generation, samples: found.map(({ sample }) => sample), since: found.map(({ since }) => since) };
      }),

    publish: ({ dataset, created, samples, totals }, now, options) =>
      tables.transaction(async (inside) => {
        const fresh = { dataset, created, generation: 0, at: now, totals, people: samples.length };
        // Publications of one dataset wait for each other here.
        const known = await inside.table(publications).put(fresh, []);
        const isSame = known.created.getTime() === created.getTime();
        const last = isSame ? known.generation : 0;
        if (options !== undefined && options.after !== last) {
          await inside.table(publications).remove({ dataset, generation: 0 });
          return false;
        }
        const generation = last + 1;
        await inside.table(publications).put({ ...fresh, generation });
        const found = isSame ? await inside.table(people).find({ where: { dataset } }) : [];
        const before = new Map(found.map((one) => [one.sample, one]));
        await inside.table(people).remove({ dataset });
        await inside
          .table(people)
          .append(samples.map((sample) => before.get(sample) ?? { dataset, sample, since: generation, leaves: false }));
        return true;
      }),

    withdraw: (dataset, samples) =>
      tables.transaction(async (inside) => {
        // A publication that runs would replace the rows without the mark.
        await inside.table(publications).lock({ dataset });
        await inside.table(people).change({ dataset, sample: { among: samples } }, { leaves: true });
      }),

    leaving: async (dataset) =>
      (await tables.table(people).find({ where: { dataset, leaves: true } })).map(({ sample }) => sample).sort(),

    forget: (samples) =>
      tables.transaction(async (inside) => {
        const sample = { among: samples };
        for (const { dataset } of await inside.table(publications).lock({})) {
          const gone = await inside.table(people).remove({ dataset, sample });
          await inside.table(publications).change({ dataset }, { generation: { plus: 1 }, people: { plus: -gone } });
        }
        // An answer that runs would write what it has read.
        await inside.table(accounts).lock({});
        await inside.table(spent).remove({ sample });
        await inside.table(consulted).remove({ sample });
      }),

    drop: (dataset) =>
      tables.transaction(async (inside) => {
        await inside.table(publications).remove({ dataset });
        await inside.table(people).remove({ dataset });
        await inside.table(accounts).remove({ dataset });
        await inside.table(spent).remove({ dataset });
        await inside.table(events).remove({ dataset });
        await inside.table(consulted).remove({ dataset });
      }),

    answer: (asking, rule, now) =>
      tables.transaction(async (inside) => {
        const { dataset, account, event, carriers, region } = asking;
        const by = { dataset, account };
        await inside.table(accounts).put({ ...by, questions: 0, hits: 0 }, []);
        if (await inside.table(events).one({ ...by, event })) return carriers.length >= rule.allowed.least;
        const paid = await inside.table(spent).find({ where: by });
        const { contig, first, last } = around(region);
        const stretch = { atLeast: first, atMost: last };
        const near = await inside.table(consulted).find({ where: { ...by, contig, stretch } });
        const { exists, charges, consults, remember } = decided(asking, rule, now, {
          carriers: new Map(paid.map((one) => [one.sample, one])),
          people: paid.map((one) => ({ ...one, people: 1 })),
          consulted: new Set(near.map(({ sample }) => sample)),
        });
        for (const [sample, after] of charges) await inside.table(spent).put({ ...by, sample, spent: after, at: now });
        const noted = stretchNumbers(region).flatMap((number) =>
          consults.map((sample) => ({ ...by, contig, stretch: number, sample })),
        );
        await inside.table(consulted).addMany(noted);
        if (remember) await inside.table(events).add({ ...by, event });
        return exists;
      }),

    spending: async (dataset) => {
      const paid = await tables.table(spent).find({ where: { dataset }, order: ['account'] });
      const names = [...new Set(paid.map(({ account }) => account))];
      return names.map((account) =>
        spendingOf(
          account,
          paid.filter((one) => one.account === account),
        ),
      );
    },

    count: (dataset, tallies) =>
      tables.transaction(async (inside) => {
        // In one order, so that two callers never wait for each other.
        for (const { account, questions, hits } of [...tallies].sort(byColumn('account'))) {
          await inside.table(accounts).put({ dataset, account, questions: 0, hits: 0 }, []);
          const changes = { questions: { plus: questions }, hits: { plus: hits } };
          await inside.table(accounts).change({ dataset, account }, changes);
        }
      }),

    tallies: async (dataset) => {
      const found = await tables
        .table(accounts)
        .find({ where: { dataset, questions: { above: 0 } }, order: ['account'] });
      return found.map(({ dataset: _, ...tally }) => tally);
    },
  }),
});

function spendingOf(account: string, paid: readonly RowOf<typeof spent.columns>[]): AccountSpending {
  const amounts = paid.map((one) => one.spent);
  return {
    account,
    people: paid.length,
    spent: amounts.reduce((sum, one) => sum + one, 0),
    most: Math.max(...amounts),
    last: new Date(Math.max(...paid.map(({ at }) => at.getTime()))),
  };
}
