/** Audit repositories that break one promise. */
import type { AuditRepository, ChainedEntry, PendingEvent } from '../../../core/audit/contract.js';
import { isFault } from '../../../core/storage.js';
import { audit } from '../core.js';
import { type Damage, type Wrong, wrongRepository } from './wrap.js';

const wrong = (does: string, fails: string, damage: Damage<AuditRepository>): Wrong =>
  wrongRepository(audit, does, fails, damage);

const selected = 'entries are selected by people, callers and time';
const deleted = 'old entries are deleted from the beginning of a chain';

const unless = (code: string) => (error: unknown) => {
  if (!isFault(error) || error.code !== code) throw error;
};

export const wrongAuditTrails: readonly Wrong[] = [
  wrong('writes the body of an entry anew', 'an entry comes back as it was appended', () => (right) => ({
    links: async (...asked) =>
      (await right.links(...asked)).map((one) => ({ ...one, body: JSON.stringify(JSON.parse(one.body)) })),
  })),
  wrong('sorts what an entry is about', 'an entry comes back as it was appended', () => (right) => ({
    links: async (...asked) => (await right.links(...asked)).map((one) => ({ ...one, about: one.about.toSorted() })),
  })),
  wrong('lists chains by their ids', 'chains are listed in the order of their start', () => (right) => ({
    chains: async () => (await right.chains()).sort((one, other) => (one.id < other.id ? -1 : 1)),
  })),
  wrong('forgets what came before a chain', 'chains are listed in the order of their start', () => (right) => ({
    chains: async () => (await right.chains()).map(({ previous: _, ...chain }) => chain),
  })),
  wrong('keeps the first register', 'chains are listed in the order of their start', () => {
    let first: string | undefined;
    return (right) => ({
      begin: (chain, register) => {
        first ??= register;
        return right.begin(chain, first);
      },
    });
  }),
  wrong('begins a chain without its number', 'of chains that take one number, one begins', () => (right) => ({
    begin: ({ number: _, ...chain }, register) => right.begin(chain, register),
  })),
  wrong('says that an entry is found by nothing', 'an entry comes back as it was appended', () => (right) => ({
    links: async (...asked) => (await right.links(...asked)).map((one) => ({ ...one, indexed: [] })),
  })),
  wrong('ignores appends elsewhere', 'entries are added at the end of their chain and nowhere else', () => (right) => ({
    append: (...asked) => right.append(...asked).catch(unless('conflict')),
  })),
  wrong('loses what it cannot append', 'of appends that meet at one place, one is done', () => (right) => ({
    append: async (chain, after, entries, head) => {
      await right.append(chain, after, entries, head).catch(unless('conflict'));
    },
  })),
  wrong(
    'lists pending events newest first',
    'pending events wait in their order until an append settles them',
    () => (right) => ({
      pending: async (limit) => (await right.pending(1000)).reverse().slice(0, limit),
    }),
  ),
  wrong(
    'leaves settled events pending',
    'pending events wait in their order until an append settles them',
    () => (right) => ({
      append: (chain, after, entries, head) => right.append(chain, after, entries, head),
    }),
  ),
  wrong('chains an event twice', 'of appends that settle one event, one is done', () => (right) => ({
    append: async (chain, after, entries, head, settled) => {
      try {
        await right.append(chain, after, entries, head, settled);
      } catch (error) {
        unless('not-found')(error);
        await right.append(chain, after, entries, head);
      }
    },
  })),
  wrong('submits outside the transaction', 'an event is pending only if its transaction commits', () => {
    const kept: PendingEvent[] = [];
    return () => ({
      submit: async (events) => void kept.push(...events),
      pending: async () => kept,
    });
  }),
  wrong('leaves the head where it was', 'entries are added at the end of their chain and nowhere else', () => {
    let first: ChainedEntry | undefined;
    return (right) => ({
      append: async (chain, after, entries, head) => {
        await right.append(chain, after, entries, first === undefined ? head : { ...head, hash: first.hash });
        first ??= entries[0];
      },
    });
  }),
  wrong('returns an entry for each person that it is about', selected, () => (right) => ({
    entries: async ({ about, ...selection }) =>
      about === undefined || about.length === 0
        ? right.entries({ about, ...selection })
        : (await Promise.all([...new Set(about)].map((one) => right.entries({ about: [one], ...selection })))).flat(),
  })),
  wrong('takes no callers for all callers', selected, () => (right) => ({
    entries: ({ actors, ...selection }) =>
      right.entries({ ...selection, ...(actors !== undefined && actors.length > 0 && { actors }) }),
  })),
  wrong('orders entries by their number alone', 'random selections, page by page', () => (right) => ({
    entries: async (selection) => (await right.entries(selection)).sort((a, b) => a.sequence - b.sequence),
  })),
  wrong('finds only the first two thousand people', 'an entry may be about thousands of people', () => (right) => ({
    people: (lookups) => right.people(lookups.slice(0, 2000)),
  })),
  wrong('expires the entry after the link, too', deleted, () => (right) => ({
    expire: (chain, base) => right.expire(chain, { ...base, sequence: base.sequence + 1 }),
  })),
  wrong('overlooks entries of no chain', 'entries outside of all chains are found', () => (right) => ({
    strays: async (limit) => {
      const known = new Set((await right.chains()).map(({ id }) => id));
      return (await right.strays(limit)).filter(({ chain }) => known.has(chain));
    },
  })),
  wrong('takes the last fingerprint', 'the first fingerprint stays', () => (right) => ({
    claim: async (fingerprint) => {
      await right.claim(fingerprint);
      return fingerprint;
    },
  })),
  wrong('returns what was to be enrolled', 'a person keeps the pseudonym that was first', () => (right) => ({
    enrol: async (people) => {
      await right.enrol(people);
      return [...people];
    },
  })),
  wrong('lets enrolments that meet have their own way', 'of enrolments that meet, one decides', () => (right) => ({
    enrol: async (people) => {
      await right.enrol(people);
      return [...people];
    },
  })),
  wrong('still knows a person that it forgot', 'a person is forgotten, and the entries stay', () => (right) => ({
    forget: async (lookup) => (await right.people([lookup])).length > 0,
  })),
];
