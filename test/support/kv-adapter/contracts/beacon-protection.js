/**
 * beacon-protection@1: the publication of a dataset with its samples under its id, and the budgets, remembered events,
 * people consulted by stretch of a contig, and tally of an account under both ids. Ids of datasets have no control characters; those of accounts are hashes or one word.
 */
import { around, decided, stretchNumbers } from 'trefoil/beacon/contract';
import { keyOf, under } from '../keys.js';

const publicationKey = (dataset) => keyOf('publication', dataset);
const accountKey = (dataset, account) => keyOf('account', dataset, account);
const noAccount = { spent: new Map(), events: new Set(), consulted: new Map(), questions: 0, hits: 0 };
const stretchKeys = (region) => stretchNumbers(region).map((one) => `${region.contig} ${one}`);

async function all(space, range) {
  const found = [];
  for await (const entry of space.range(range)) found.push(entry);
  return found;
}

/** Every account of a dataset by its name, ascending. */
async function accountsOf(space, dataset) {
  const { from } = under('account', dataset);
  const found = await all(space, under('account', dataset));
  return found.map(([key, account]) => [key.slice(from.length), account]);
}

export default ({ read, write }) => ({
  publications: () =>
    read(async (space) => (await all(space, under('publication'))).map(([, { publication }]) => publication)),

  published: (dataset) =>
    read(async (space) => {
      const known = await space.get(publicationKey(dataset));
      if (!known) return undefined;
      const since = [...known.people.values()].map((one) => one.since);
      return { generation: known.publication.generation, samples: [...known.people.keys()], since };
    }),

  publish: ({ dataset, created, samples, totals }, now, options) =>
    write(async (space) => {
      const stored = await space.get(publicationKey(dataset));
      const known = stored?.publication;
      const before = known?.created.getTime() === created.getTime() ? known : undefined;
      const last = before?.generation ?? 0;
      if (options !== undefined && options.after !== last) return false;
      const generation = last + 1;
      const personOf = (sample) => (before && stored.people.get(sample)) ?? { since: generation, leaves: false };
      const people = new Map([...samples].sort().map((sample) => [sample, personOf(sample)]));
      const publication = { dataset, created, generation, at: now, totals, people: people.size };
      space.put(publicationKey(dataset), { publication, people });
      return true;
    }),

  withdraw: (dataset, samples) =>
    write(async (space) => {
      const known = await space.get(publicationKey(dataset));
      if (!known) return;
      for (const sample of samples) {
        const one = known.people.get(sample);
        if (one) known.people.set(sample, { ...one, leaves: true });
      }
      space.put(publicationKey(dataset), known);
    }),

  leaving: (dataset) =>
    read(async (space) => {
      const known = await space.get(publicationKey(dataset));
      return [...(known?.people ?? [])].filter(([, { leaves }]) => leaves).map(([sample]) => sample);
    }),

  forget: (samples) =>
    write(async (space) => {
      for (const [key, { publication, people }] of await all(space, under('publication'))) {
        for (const sample of samples) people.delete(sample);
        const changed = { ...publication, generation: publication.generation + 1, people: people.size };
        space.put(key, { publication: changed, people });
      }
      for (const [key, account] of await all(space, under('account'))) {
        for (const sample of samples) account.spent.delete(sample);
        for (const names of account.consulted.values()) for (const sample of samples) names.delete(sample);
        space.put(key, account);
      }
    }),

  drop: (dataset) =>
    write(async (space) => {
      space.remove(publicationKey(dataset));
      for (const [key] of await all(space, under('account', dataset))) space.remove(key);
    }),

  answer: (asking, rule, now) =>
    write(async (space) => {
      const { dataset, account: name, event, carriers } = asking;
      const account = (await space.get(accountKey(dataset, name))) ?? noAccount;
      if (account.events.has(event)) return carriers.length >= rule.allowed.least;
      const people = [...account.spent.values()].map((one) => ({ ...one, people: 1 }));
      const near = stretchKeys(around(asking.region)).flatMap((key) => [...(account.consulted.get(key) ?? [])]);
      const state = { carriers: account.spent, people, consulted: new Set(near) };
      const { exists, charges, consults, remember } = decided(asking, rule, now, state);
      if (charges.size === 0 && consults.length === 0) return exists;
      const consulted = new Map(account.consulted);
      for (const key of stretchKeys(asking.region)) {
        consulted.set(key, new Set([...(consulted.get(key) ?? []), ...consults]));
      }
      const spent = new Map([
        ...account.spent,
        ...[...charges].map(([sample, after]) => [sample, { spent: after, at: now }]),
      ]);
      const events = remember ? new Set([...account.events, event]) : account.events;
      space.put(accountKey(dataset, name), { ...account, spent, events, consulted });
      return exists;
    }),

  spending: (dataset) =>
    read(async (space) => {
      const accounts = await accountsOf(space, dataset);
      return accounts.flatMap(([account, { spent }]) => {
        const each = [...spent.values()];
        if (each.length === 0) return [];
        return {
          account,
          people: each.length,
          spent: each.reduce((sum, one) => sum + one.spent, 0),
          most: Math.max(...each.map((one) => one.spent)),
          last: new Date(Math.max(...each.map(({ at }) => at.getTime()))),
        };
      });
    }),

  count: (dataset, tallies) =>
    write(async (space) => {
      for (const { account, questions, hits } of tallies) {
        const key = accountKey(dataset, account);
        const known = (await space.get(key)) ?? noAccount;
        space.put(key, { ...known, questions: known.questions + questions, hits: known.hits + hits });
      }
    }),

  tallies: (dataset) =>
    read(async (space) => {
      const accounts = await accountsOf(space, dataset);
      return accounts.flatMap(([account, { questions, hits }]) =>
        questions > 0 ? [{ account, questions, hits }] : [],
      );
    }),
});
