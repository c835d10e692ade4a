/** audit@1 in memory. */
import {
  type AuditChain,
  type AuditCursor,
  type AuditRepository,
  audit,
  type ChainedEntry,
  Fault,
  type Person,
} from '../../core/storage.js';
import { defineBinding } from './binding.js';

/** Everything is replaced, never changed, so that a state and its drafts may share it. */
interface Audit {
  fingerprint?: string;
  register?: string;
  chains: Map<string, AuditChain>;
  entries: Map<string, readonly ChainedEntry[]>;
  people: Map<string, Person>;
  /** Encrypted events by their ids, in the order of submission. */
  pending: Map<string, string>;
}

export default defineBinding<AuditRepository, Audit>({
  contract: audit,
  empty: () => ({ chains: new Map(), entries: new Map(), people: new Map(), pending: new Map() }),
  copy: ({ chains, entries, people, pending, ...rest }) => ({
    ...rest,
    chains: new Map(chains),
    entries: new Map(entries),
    people: new Map(people),
    pending: new Map(pending),
  }),
  repository: ({ read, write }) => ({
    claim: (fingerprint) => write((draft) => (draft.fingerprint ??= fingerprint)),

    begin: (chain, register) =>
      write((draft) => {
        const { chains } = draft;
        const isTaken =
          chain.number !== undefined && [...chains.values()].some(({ number }) => number === chain.number);
        if (isTaken || chains.has(chain.id))
          throw new Fault('conflict', 'There is already a chain of this id or number');
        chains.set(chain.id, structuredClone(chain));
        draft.register = register;
      }),

    chains: async () => structuredClone([...(await read()).chains.values()]),
    latest: async () => {
      const { chains, register } = await read();
      return { chain: structuredClone([...chains.values()].at(-1)), register };
    },

    append: (id, after, added, head, settled = []) =>
      write(({ chains, entries, pending }) => {
        const chain = chains.get(id);
        if (chain?.head.sequence !== after) {
          throw new Fault('conflict', `The chain does not end after the entry ${after}`);
        }
        if (settled.some((one) => !pending.has(one))) throw new Fault('not-found', 'An event is not pending');
        for (const one of settled) pending.delete(one);
        chains.set(id, { ...chain, head });
        entries.set(id, [...(entries.get(id) ?? []), ...structuredClone(added)]);
      }),

    submit: (events) =>
      write(({ pending }) => {
        for (const { id, sealed } of events) pending.set(id, sealed);
      }),

    pending: async (limit) => {
      const { pending } = await read();
      return [...pending].slice(0, limit).map(([id, sealed]) => ({ id, sealed }));
    },

    links: async (id, after, limit) => {
      const all = (await read()).entries.get(id) ?? [];
      const found = all.filter(({ sequence }) => sequence > after).slice(0, limit);
      return structuredClone(found.map((entry) => ({ ...entry, indexed: entry.about })));
    },

    strays: async (limit) => {
      const { chains, entries } = await read();
      const places = [...entries.values()].flat().map(({ chain, sequence }) => ({ chain, sequence }));
      const isStray = ({ chain, sequence }: (typeof places)[number]) => {
        const known = chains.get(chain);
        return known === undefined || sequence <= known.base.sequence || sequence > known.head.sequence;
      };
      const order = (one: string, other: string) => (one === other ? 0 : one < other ? -1 : 1);
      return places
        .filter(isStray)
        .sort((one, other) => order(one.chain, other.chain) || one.sequence - other.sequence)
        .slice(0, limit);
    },

    entries: async ({ about, actors, from, before, after, limit }) => {
      const all = [...(await read()).entries.values()].flat().filter((entry) => {
        if (about !== undefined && !entry.about.some((one) => about.includes(one))) return false;
        if (actors !== undefined && !actors.includes(entry.actor)) return false;
        if (from !== undefined && entry.at < from) return false;
        if (before !== undefined && entry.at >= before) return false;
        return after === undefined || inOrder(after, entry) < 0;
      });
      return structuredClone(all.sort(inOrder).slice(0, limit));
    },

    expire: (id, base) =>
      write(({ chains, entries }) => {
        const chain = chains.get(id);
        if (chain === undefined || chain.base.sequence >= base.sequence) return 0;
        const all = entries.get(id) ?? [];
        const kept = all.filter(({ sequence }) => sequence > base.sequence);
        chains.set(id, { ...chain, base });
        entries.set(id, kept);
        return all.length - kept.length;
      }),

    enrol: (added) =>
      write(({ people }) =>
        added.map((person) => {
          const known = people.get(person.lookup);
          if (known === undefined) people.set(person.lookup, { ...person });
          return { ...(known ?? person) };
        }),
      ),

    people: async (lookups) => {
      const { people } = await read();
      return [...new Set(lookups)].flatMap((lookup) => structuredClone(people.get(lookup)) ?? []);
    },

    named: async (pseudonyms) => {
      const wanted = new Set(pseudonyms);
      return structuredClone([...(await read()).people.values()].filter(({ pseudonym }) => wanted.has(pseudonym)));
    },

    forget: (lookup) => write(({ people }) => people.delete(lookup)),
  }),
});

function inOrder(one: AuditCursor, other: AuditCursor): number {
  if (one.at.getTime() !== other.at.getTime()) return one.at.getTime() - other.at.getTime();
  if (one.chain !== other.chain) return one.chain < other.chain ? -1 : 1;
  return one.sequence - other.sequence;
}
