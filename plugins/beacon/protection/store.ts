/** beacon-protection@1 above tables. */
import {
  boolean,
  defineStore,
  defineTable,
  double,
  integer,
  person,
  type RowOf,
  small,
  type Tables,
  text,
  time,
  user,
} from '../../../core/storage.js';
import {
  type AccountSpending,
  type AnswerRule,
  type Asking,
  around,
  beaconProtection,
  decided,
  type ProtectionRepository,
  type Spendings,
  stretchNumbers,
} from './contract.js';
import { dropLoads, endLoads, forgetInLoads, heldDatasets, waitingTables, waitingVerbs } from './waiting.js';

/** None with generation 0 outlives the transaction that added it. */
const publications = defineTable({
  name: 'beacon_protection_publications',
  columns: {
    dataset: text(),
    created: time(),
    generation: integer(),
    published: time(),
    alleles: integer(),
    calls: integer(),
    samples: integer(),
    people: integer(),
  },
  key: ['dataset'],
});

const people = defineTable({
  name: 'beacon_protection_people',
  // `since`: the generation in which it was published first.
  columns: { dataset: text(), sample: person(text()), since: integer(), leaving: boolean() },
  key: ['dataset', 'sample'],
});

/** A digest of alleles and their carriers. */
const asAnswered = 'as a digest, so that a question that was paid for gets the same answer';
/** Accounts are digests of callers' names. */
const byAccount = { dataset: text(), account: user(text(), 'as a digest, with the dataset') };

/** The row of an account also makes its answers wait for each other: they hold it first, and then never wait. */
export const accounts = defineTable({
  name: 'beacon_protection_accounts',
  columns: { ...byAccount, questions: integer(), hits: integer() },
  key: ['dataset', 'account'],
});

export const spent = defineTable({
  name: 'beacon_protection_spent',
  // `spent` in nats, `spentAt` in milliseconds since 1970.
  columns: { ...byAccount, sample: person(text()), spent: double(), spentAt: integer() },
  key: ['dataset', 'account', 'sample'],
});

const events = defineTable({
  name: 'beacon_protection_events',
  columns: { ...byAccount, event: person(text(), asAnswered) },
  key: ['dataset', 'account', 'event'],
});

export const consulted = defineTable({
  name: 'beacon_protection_consulted',
  // `stretch`: of a million bases, by number from 0.
  columns: { ...byAccount, contig: text(), stretch: small(), sample: person(text()) },
  key: ['dataset', 'account', 'contig', 'stretch', 'sample'],
});

const first = [publications, people, accounts, spent, events, consulted] as const;

function byColumn<Key extends string>(key: Key) {
  return (one: Record<Key, string>, other: Record<Key, string>) => (one[key] < other[key] ? -1 : 1);
}

export const store = defineStore<ProtectionRepository>({
  contract: beaconProtection,
  // As transactions lock them.
  tables: [publications, people, ...waitingTables, accounts, spent, events, consulted],
  steps: {
    '002-consulted-people': { replaces: ['001-publications-and-budgets'], tables: first },
    '003-waiting-loads': { tables: waitingTables },
  },
  repository: (tables) => ({
    ...waitingVerbs(tables),

    publications: async () => {
      // First: a publication that ends in between has a generation that the caller does not know.
      const held = await heldDatasets(tables);
      const found = await tables.table(publications).find({ order: ['dataset'], latest: true });
      return found.map(({ published: at, alleles, calls, samples, ...one }) => {
        const totals = { alleles, calls, samples };
        return { ...one, at, totals, ...(held.has(one.dataset) && { held: true as const }) };
      });
    },

    published: (dataset) =>
      tables.snapshot(async (moment) => {
        const known = await moment.table(publications).one({ dataset });
        if (known === undefined) return undefined;
        const found = (await moment.table(people).find({ where: { dataset } })).sort(byColumn('sample'));
        const { generation } = known;
        return { generation, samples: found.map(({ sample }) => sample), since: found.map(({ since }) => since) };
      }),

    publish: ({ dataset, created, samples, totals, brings = [] }, now, options) =>
      tables.transaction(async (inside) => {
        const fresh = { dataset, created, generation: 0, published: now, ...totals, people: samples.length };
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
        if (!isSame) await dropLoads(inside, dataset);
        const brought = await endLoads(inside, dataset, brings);
        const rows = samples.map((sample) => {
          const known = before.get(sample) ?? { dataset, sample, since: generation, leaving: false };
          return brought.has(sample) ? { ...known, since: generation } : known;
        });
        await inside.table(people).append(rows);
        return true;
      }),

    withdraw: (dataset, samples) =>
      tables.transaction(async (inside) => {
        // A publication that runs would replace the rows without the mark.
        await inside.table(publications).lock({ dataset });
        await inside.table(people).change({ dataset, sample: { among: samples } }, { leaving: true });
      }),

    leaving: async (dataset) =>
      (await tables.table(people).find({ where: { dataset, leaving: true } })).map(({ sample }) => sample).sort(),

    forget: (samples) =>
      tables.transaction(async (inside) => {
        const sample = { among: samples };
        const held = await inside.table(publications).lock({});
        const gone = await inside.table(people).find({ where: { sample } });
        for (const { dataset } of held) {
          const left = -gone.filter((one) => one.dataset === dataset).length;
          await inside.table(publications).change({ dataset }, { generation: { plus: 1 }, people: { plus: left } });
        }
        await inside.table(people).remove({ sample });
        await forgetInLoads(inside, samples);
        // An answer that runs would write what it has read.
        await inside.table(accounts).lock({});
        await inside.table(spent).remove({ sample });
        await inside.table(consulted).remove({ sample });
      }),

    drop: (dataset) =>
      tables.transaction(async (inside) => {
        await inside.table(publications).remove({ dataset });
        await inside.table(people).remove({ dataset });
        await dropLoads(inside, dataset);
        await inside.table(accounts).remove({ dataset });
        await inside.table(spent).remove({ dataset });
        await inside.table(events).remove({ dataset });
        await inside.table(consulted).remove({ dataset });
      }),

    answer: async (asking, rule, now) =>
      (await remembered(tables, asking, rule)) ??
      tables.transaction((inside) => answered(inside, asking, rule, now, answerSteps(inside))),

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
          const add = () =>
            inside
              .table(accounts)
              .change({ dataset, account }, { questions: { plus: questions }, hits: { plus: hits } });
          if ((await add()) > 0) continue;
          await inside.table(accounts).put({ dataset, account, questions: 0, hits: 0 }, []);
          await add();
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

/** The answer to an event that this account has paid for; undefined for any other, which needs a transaction. */
export async function remembered(
  from: Tables,
  { dataset, account, event, formerly = [], carriers }: Asking,
  { allowed }: AnswerRule,
): Promise<boolean | undefined> {
  const known = await from.table(events).one({ dataset, account, event: { among: [event, ...formerly] } });
  return known && carriers.length >= allowed.least;
}

/** What an answer reads and writes. */
interface AnswerSteps {
  /** Answers to one account wait here for each other. */
  hold(account: Pick<Asking, 'dataset' | 'account'>): Promise<unknown>;
  spendings(asking: Asking): Promise<Spendings>;
  charge(rows: readonly RowOf<typeof spent.columns>[]): Promise<void>;
  /** Notes these samples in each stretch of the question's region. */
  consult(asking: Asking, samples: readonly string[]): Promise<unknown>;
}

function answerSteps(inside: Tables): AnswerSteps {
  return {
    hold: ({ dataset, account }) => inside.table(accounts).put({ dataset, account, questions: 0, hits: 0 }, []),
    async spendings({ dataset, account, region }) {
      const paid = await inside.table(spent).find({ where: { dataset, account } });
      const { contig, first, last } = around(region);
      const stretch = { atLeast: first, atMost: last };
      const near = await inside.table(consulted).find({ where: { dataset, account, contig, stretch } });
      const each = paid.map((one) => ({ sample: one.sample, spent: one.spent, at: new Date(one.spentAt), people: 1 }));
      return {
        carriers: new Map(each.map((one) => [one.sample, one])),
        people: each,
        consulted: new Set(near.map(({ sample }) => sample)),
      };
    },
    async charge(rows) {
      for (const row of rows) await inside.table(spent).put(row);
    },
    consult({ dataset, account, region }, samples) {
      const by = { dataset, account, contig: region.contig };
      const rows = stretchNumbers(region).flatMap((stretch) => samples.map((sample) => ({ ...by, stretch, sample })));
      return inside.table(consulted).addMany(rows);
    },
  };
}

/** Decides and stores one answer inside a transaction; every no by the same steps, whether it has carriers or not. */
export async function answered(
  inside: Tables,
  asking: Asking,
  rule: AnswerRule,
  now: Date,
  steps: AnswerSteps,
): Promise<boolean> {
  const { dataset, account, event } = asking;
  const by = { dataset, account };
  await steps.hold(asking);
  // What was spent for the same question a moment ago must not make it a no.
  const known = await remembered(inside, asking, rule);
  if (known !== undefined) return known;
  const { exists, charges, consults, remember } = decided(asking, rule, now, await steps.spendings(asking));
  const spentAt = now.getTime();
  await steps.charge([...charges].map(([sample, after]) => ({ ...by, sample, spent: after, spentAt })));
  await steps.consult(asking, consults);
  if (remember) await inside.table(events).add({ ...by, event });
  return exists;
}

function spendingOf(account: string, paid: readonly RowOf<typeof spent.columns>[]): AccountSpending {
  const amounts = paid.map((one) => one.spent);
  return {
    account,
    people: paid.length,
    spent: amounts.reduce((sum, one) => sum + one, 0),
    most: Math.max(...amounts),
    last: new Date(Math.max(...paid.map(({ spentAt }) => spentAt))),
  };
}
