/** beacon-protection@1 in memory. */
import {
  type AccountSpending,
  type AccountTally,
  around,
  beaconProtection,
  decided,
  type ProtectionRepository,
  type Publication,
  type Region,
  type Spent,
  stretchNumbers,
} from '../../plugins/beacon/contract.js';
import { defineBinding } from './binding.js';

interface Dataset {
  publication: Publication | undefined;
  /** Published samples, in code-unit order. */
  people: ReadonlyMap<string, Person>;
  accounts: ReadonlyMap<string, Account>;
  tallies: ReadonlyMap<string, AccountTally>;
}

interface Person {
  since: number;
  leaves: boolean;
}

interface Account {
  spent: ReadonlyMap<string, Spent>;
  events: ReadonlySet<string>;
  /** Who was consulted, by stretch: `stretchKeys`. */
  consulted: ReadonlyMap<string, ReadonlySet<string>>;
}

type Datasets = Map<string, Dataset>;

const noDataset: Dataset = { publication: undefined, people: new Map(), accounts: new Map(), tallies: new Map() };
const noAccount: Account = { spent: new Map(), events: new Set(), consulted: new Map() };

function sorted<Value>(entries: Iterable<[string, Value]>): [string, Value][] {
  return [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
}

export default defineBinding<ProtectionRepository, Datasets>({
  contract: beaconProtection,
  empty: () => new Map(),
  copy: (state) => new Map(state),
  repository: ({ read, write }) => {
    const dataset = async (id: string) => (await read()).get(id) ?? noDataset;
    const change = (id: string, change: (known: Dataset) => Partial<Dataset>) =>
      write((draft) => {
        const known = draft.get(id) ?? noDataset;
        draft.set(id, { ...known, ...change(known) });
      });
    return {
      async publications() {
        const all = sorted(await read()).flatMap(([, { publication }]) => publication ?? []);
        return structuredClone(all);
      },

      async published(id) {
        const { publication, people } = await dataset(id);
        const since = [...people.values()].map((one) => one.since);
        return publication && { generation: publication.generation, samples: [...people.keys()], since };
      },

      publish: ({ dataset: id, created, samples, totals }, now, options) =>
        write((draft) => {
          const known = draft.get(id) ?? noDataset;
          const before = known.publication?.created.getTime() === created.getTime() ? known.publication : undefined;
          const last = before?.generation ?? 0;
          if (options !== undefined && options.after !== last) return false;
          const generation = last + 1;
          const personOf = (sample: string): Person =>
            (before && known.people.get(sample)) ?? { since: generation, leaves: false };
          const people = new Map(sorted(samples.map((sample): [string, Person] => [sample, personOf(sample)])));
          const published = { dataset: id, created, generation, at: now, totals, people: people.size };
          draft.set(id, { ...known, publication: structuredClone(published), people });
          return true;
        }),

      withdraw: (id, samples) =>
        change(id, ({ people }) => {
          const gone = new Set(samples);
          const marked = ([name, one]: [string, Person]): [string, Person] => [
            name,
            { ...one, leaves: one.leaves || gone.has(name) },
          ];
          return { people: new Map([...people].map(marked)) };
        }),

      async leaving(id) {
        return [...(await dataset(id)).people].flatMap(([name, { leaves }]) => (leaves ? [name] : []));
      },

      forget: (samples) =>
        write((draft) => {
          for (const [id, known] of draft) draft.set(id, forgetting(known, new Set(samples)));
        }),

      drop: (id) => write((draft) => void draft.delete(id)),

      answer: (asking, rule, now) =>
        write((draft) => {
          const { dataset: id, account: name, event, carriers } = asking;
          const known = draft.get(id) ?? noDataset;
          const account = known.accounts.get(name) ?? noAccount;
          if (account.events.has(event)) return carriers.length >= rule.allowed.least;
          const people = [...account.spent.values()].map((one) => ({ ...one, people: 1 }));
          const near = stretchKeys(around(asking.region)).flatMap((key) => [...(account.consulted.get(key) ?? [])]);
          const state = { carriers: account.spent, people, consulted: new Set(near) };
          const { exists, charges, consults, remember } = decided(asking, rule, now, state);
          if (charges.size === 0 && consults.length === 0) return exists;
          const noted = stretchKeys(asking.region).map((key): [string, ReadonlySet<string>] => [
            key,
            new Set([...(account.consulted.get(key) ?? []), ...consults]),
          ]);
          const charged = [...charges].map(([sample, spent]) => [sample, { spent, at: new Date(now) }] as const);
          const after: Account = {
            spent: new Map([...account.spent, ...charged]),
            events: remember ? new Set([...account.events, event]) : account.events,
            consulted: new Map([...account.consulted, ...noted]),
          };
          draft.set(id, { ...known, accounts: new Map([...known.accounts, [name, after]]) });
          return exists;
        }),

      async spending(id) {
        const { accounts } = await dataset(id);
        return sorted(accounts).flatMap(([account, { spent }]) => (spent.size > 0 ? [summary(account, spent)] : []));
      },

      count: (id, counted) =>
        change(id, (known) => {
          const tallies = new Map(known.tallies);
          for (const { account, questions, hits } of counted) {
            const before = tallies.get(account) ?? { questions: 0, hits: 0 };
            tallies.set(account, { account, questions: before.questions + questions, hits: before.hits + hits });
          }
          return { tallies };
        }),

      async tallies(id) {
        return sorted((await dataset(id)).tallies).map(([, tally]) => ({ ...tally }));
      },
    };
  },
});

function stretchKeys(region: Region): string[] {
  return stretchNumbers(region).map((one) => `${region.contig} ${one}`);
}

function forgetting(known: Dataset, gone: ReadonlySet<string>): Dataset {
  const without = <Value>(map: ReadonlyMap<string, Value>) => new Map([...map].filter(([name]) => !gone.has(name)));
  const people = without(known.people);
  const { publication } = known;
  const accounts = [...known.accounts].map(([name, account]): [string, Account] => [
    name,
    {
      ...account,
      spent: without(account.spent),
      consulted: new Map(
        [...account.consulted].map(([key, names]) => [key, new Set([...names].filter((one) => !gone.has(one)))]),
      ),
    },
  ]);
  return {
    ...known,
    people,
    accounts: new Map(accounts),
    publication: publication && { ...publication, generation: publication.generation + 1, people: people.size },
  };
}

function summary(account: string, spent: ReadonlyMap<string, Spent>): AccountSpending {
  const all = [...spent.values()];
  return {
    account,
    people: all.length,
    spent: all.reduce((sum, one) => sum + one.spent, 0),
    most: Math.max(...all.map((one) => one.spent)),
    last: new Date(Math.max(...all.map(({ at }) => at.getTime()))),
  };
}
