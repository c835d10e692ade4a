/** audit@1 above tables. */
import { Fault } from '../fault.js';
import { generated, integer, json, optional, person, type RowOf, small, text, time, user } from '../table/columns.js';
import { type Cursor, defineStore, defineTable, type Tables, type Where } from '../table.js';
import { compareKept, firstRows } from '../table-values.js';
import {
  type AuditChain,
  type AuditRepository,
  type AuditSelection,
  audit,
  type ChainedEntry,
  type SealedLink,
} from './contract.js';

/** In the order of their numbers, in which chains began; `ordinal` is what the contract calls the number. */
const chains = defineTable({
  name: 'audit_chains',
  columns: {
    ...{ number: generated(), id: text(), started: time(), ordinal: optional(integer()) },
    ...{ previousChain: optional(text()), previousSequence: optional(integer()), previousHash: optional(text()) },
    ...{ baseSequence: integer(), baseHash: text(), baseSeal: text() },
    ...{ headSequence: integer(), headHash: text(), headSeal: text() },
  },
  key: ['number'],
  unique: [['id'], ['ordinal']],
});

/** A single row. */
const key = defineTable({
  name: 'audit_key',
  columns: { number: small(), fingerprint: text(), register: optional(text()) },
  key: ['number'],
});

const pending = defineTable({
  name: 'audit_pending',
  columns: { number: generated(), id: text(), sealed: person(text(), 'until it is in a chain, within minutes') },
  key: ['number'],
  unique: [['id']],
});

/** For the names of people in entries, once what leads to the name is gone. */
const pseudonym = 'as a pseudonym that leads to no one';

const entries = defineTable({
  name: 'audit_entries',
  columns: {
    chain: text(),
    sequence: integer(),
    at: time(),
    actor: user(text(), pseudonym),
    about: person(json<readonly string[]>(), pseudonym),
    body: person(text(), pseudonym),
    hash: text(),
  },
  key: ['chain', 'sequence'],
  indexes: [
    ['at', 'chain', 'sequence'],
    ['actor', 'at', 'chain', 'sequence'],
  ],
});

/** What entries are found by. */
const subjects = defineTable({
  name: 'audit_subjects',
  columns: { subject: person(text(), pseudonym), at: time(), chain: text(), sequence: integer() },
  key: ['subject', 'at', 'chain', 'sequence'],
  indexes: [['chain', 'sequence']],
});

const people = defineTable({
  name: 'audit_people',
  columns: { lookup: person(text()), pseudonym: person(text()), sealed: person(text()) },
  key: ['lookup'],
  unique: [['pseudonym']],
});

type ChainRow = RowOf<typeof chains.columns>;
type EntryRow = RowOf<typeof entries.columns>;

const byTime = ['at', 'chain', 'sequence'] as const;
/** What an entry says. */
const content = ['at', 'actor', 'about', 'body', 'hash'] as const;

const baseOf = ({ sequence, hash, seal }: SealedLink) => ({ baseSequence: sequence, baseHash: hash, baseSeal: seal });
const headOf = ({ sequence, hash, seal }: SealedLink) => ({ headSequence: sequence, headHash: hash, headSeal: seal });

function chainOf(row: ChainRow): AuditChain {
  const { id, started, ordinal, previousChain: chain, previousSequence: sequence, previousHash: hash } = row;
  const isAfter = chain !== undefined && sequence !== undefined && hash !== undefined;
  return {
    ...{ id, started, ...(ordinal !== undefined && { number: ordinal }) },
    ...(isAfter && { previous: { chain, sequence, hash } }),
    base: { sequence: row.baseSequence, hash: row.baseHash, seal: row.baseSeal },
    head: { sequence: row.headSequence, hash: row.headHash, seal: row.headSeal },
  };
}

export const store = defineStore<AuditRepository>({
  contract: audit,
  tables: [chains, key, entries, subjects, people, pending],
  steps: {
    '002-pending-events': {
      replaces: ['001-chains-entries-and-people'],
      tables: [chains, key, entries, subjects, people, pending],
      // By the names that release 0.2 gave them.
      sql: {
        lays: [
          ['at', 'chain', 'sequence'],
          ['actor', 'at', 'chain', 'sequence'],
          ['chain', 'sequence'],
        ],
        up: [
          'create index audit_entries_at on audit_entries (at, chain, sequence)',
          'create index audit_entries_actor on audit_entries (actor, at, chain, sequence)',
          'create index audit_subjects_entry on audit_subjects (chain, sequence)',
        ],
        down: [],
      },
    },
    // How many chains there are is known beside them, so that none can be taken away unseen.
    '003-numbers-of-chains': {
      adds: [
        { table: chains, columns: { ordinal: undefined } },
        { table: key, columns: { register: undefined } },
      ],
      sql: {
        lays: [['ordinal']],
        up: ['create unique index audit_chains_ordinal on audit_chains (ordinal)'],
        down: ['drop index audit_chains_ordinal'],
      },
    },
  },
  repository: (tables) => ({
    claim: (fingerprint) =>
      // Of two callers the second waits here for the first.
      tables.transaction(async (inside) => (await inside.table(key).put({ number: 1, fingerprint }, [])).fingerprint),

    begin: ({ id, number: ordinal, started, previous, base, head }, register) =>
      tables.transaction(async (inside) => {
        const { chain: previousChain, sequence: previousSequence, hash: previousHash } = previous ?? {};
        // First, since of two that take one number the second waits here until the first is done.
        const added = await inside.table(chains).add({
          ...{ id, started, ordinal, previousChain, previousSequence, previousHash, ...baseOf(base), ...headOf(head) },
        });
        if (added === undefined) throw new Fault('conflict', 'There is already a chain of this id or number');
        await inside.table(key).change({ number: 1 }, { register });
      }),

    async chains() {
      return (await tables.table(chains).find({ order: ['number'] })).map(chainOf);
    },

    async latest() {
      const kept = await tables.table(key).one({ number: 1 }, { latest: true });
      const last = { order: ['number'], descending: true, limit: 1, latest: true } as const;
      const [chain] = await firstRows(tables.table(chains), last);
      return { chain: chain && chainOf(chain), register: kept?.register };
    },

    append: (id, after, added, head, settled = []) =>
      tables.transaction(async (inside) => {
        // First, since it locks the chain: no other process appends between the check and the entries.
        const moved = await inside.table(chains).change({ id, headSequence: after }, headOf(head));
        if (moved === 0) throw new Fault('conflict', `The chain does not end after the entry ${after}`);
        if (settled.length > 0) {
          const removed = await inside.table(pending).remove({ id: { among: settled } });
          if (removed < settled.length) throw new Fault('not-found', 'An event is not pending');
        }
        await inside.table(entries).append(added);
        await inside
          .table(subjects)
          .append(
            added.flatMap(({ about, at, chain, sequence }) =>
              about.map((subject) => ({ subject, at, chain, sequence })),
            ),
          );
      }),

    submit: (events) => tables.table(pending).append(events),

    async pending(limit) {
      const rows = await tables.table(pending).find({ order: ['number'], limit });
      return rows.map(({ id, sealed }) => ({ id, sealed }));
    },

    links: (chain, after, limit) =>
      tables.snapshot(async (moment) => {
        const page = { where: { chain }, order: ['chain', 'sequence'], limit } as const;
        const found = await firstRows(moment.table(entries), { ...page, after: { chain, sequence: after } });
        const within = { above: after, atMost: found.at(-1)?.sequence ?? after };
        const linked = new Map(found.map((entry) => [entry.sequence, { ...entry, indexed: [] as string[] }]));
        const index = { where: { chain, sequence: within }, without: ['chain'] } as const;
        for (const { subject, at, sequence } of await moment.table(subjects).find(index)) {
          const entry = linked.get(sequence);
          // A row with another time than its entry finds it where it is not.
          entry?.indexed.push(at.getTime() === entry.at.getTime() ? subject : '');
        }
        return [...linked.values()];
      }),

    strays: (limit) =>
      tables.snapshot(async (moment) => {
        const found: Pick<ChainedEntry, 'chain' | 'sequence'>[] = [];
        const look = async (where: Where<EntryRow>) => {
          const page = { where, order: ['chain', 'sequence'], limit: limit - found.length, without: content } as const;
          for (const { chain, sequence } of await firstRows(moment.table(entries), page)) {
            found.push({ chain, sequence });
          }
        };
        // What lies between chains, before and after each: what is in its place is not read.
        let after: { above?: string } = {};
        for (const { id, baseSequence, headSequence } of await moment.table(chains).find({ order: ['id'] })) {
          await look({ chain: { ...after, below: id } });
          await look({ chain: id, sequence: { atMost: baseSequence } });
          await look({ chain: id, sequence: { above: headSequence } });
          after = { above: id };
        }
        await look(after.above === undefined ? {} : { chain: after });
        return found;
      }),

    entries: (selection) => {
      const { about, actors, after, limit } = selection;
      if (about !== undefined) return tables.snapshot((moment) => entriesAbout(moment, about, selection));
      const where = { ...timesOf(selection), ...(actors && { actor: { among: actors } }) };
      return firstRows(tables.table(entries), { where, order: byTime, limit, after });
    },

    expire: (chain, base) =>
      tables.transaction(async (inside) => {
        const earlier = { id: chain, baseSequence: { below: base.sequence } };
        if ((await inside.table(chains).change(earlier, baseOf(base))) === 0) return 0;
        const over = { chain, sequence: { atMost: base.sequence } };
        const removed = await inside.table(entries).remove(over);
        await inside.table(subjects).remove(over);
        return removed;
      }),

    enrol: (added) =>
      tables.transaction(async (inside) => {
        await inside.table(people).addMany(added);
        return inside.table(people).find({ where: { lookup: { among: added.map(({ lookup }) => lookup) } } });
      }),

    people: (lookups) => tables.table(people).find({ where: { lookup: { among: lookups } } }),
    named: (pseudonyms) => tables.table(people).find({ where: { pseudonym: { among: pseudonyms } } }),
    forget: async (lookup) => (await tables.table(people).remove({ lookup })) > 0,
  }),
});

function timesOf({ from, before }: AuditSelection) {
  return from || before ? { at: { ...(from && { atLeast: from }), ...(before && { below: before }) } } : {};
}

/** Places of entries that are read at once: if few of them are by the callers, the next time more. */
const mostPlaces = 10_000;

/** An entry about several of them comes once. */
async function entriesAbout(
  moment: Tables,
  about: readonly string[],
  selection: AuditSelection,
): Promise<ChainedEntry[]> {
  const { actors, limit } = selection;
  const subject = about.toSorted(compareKept).at(-1) ?? '';
  const times = timesOf(selection);
  const by = actors && { actor: { among: actors } };
  // One alone is found in the order of its index.
  const where = { ...times, subject: about.length === 1 ? subject : { among: about } };
  const found = new Map<string, ChainedEntry>();
  // All about the last of the people is all that is known of an entry.
  let after: Cursor<RowOf<typeof subjects.columns>> | undefined = selection.after && { ...selection.after, subject };
  for (let most = limit; found.size < limit; most = Math.min(4 * most, mostPlaces)) {
    const page = { order: byTime, limit: most } as const;
    if (by) {
      // Callers who did little are found by what they did, however much is known about the people.
      const { rows, next } = await moment.table(entries).page({ ...page, where: { ...times, ...by }, after });
      const isAbout = (entry: ChainedEntry) => entry.about.some((one) => about.includes(one));
      for (const entry of next ? [] : rows.filter(isAbout)) found.set(placeOf(entry), entry);
      if (next === undefined) break;
    }
    const { rows, next } = await moment.table(subjects).page({ ...page, where, after });
    const there = new Map<string, ChainedEntry>();
    for (const chain of new Set(rows.map((place) => place.chain))) {
      const among = rows.flatMap((place) => (place.chain === chain ? place.sequence : []));
      for (const entry of await moment.table(entries).find({ where: { chain, sequence: { among }, ...by } })) {
        there.set(placeOf(entry), entry);
      }
    }
    for (const place of rows.map(placeOf)) {
      const entry = there.get(place);
      if (entry) found.set(place, entry);
    }
    if (next === undefined) break;
    after = next;
  }
  return [...found.values()].slice(0, limit);
}

const placeOf = ({ chain, sequence }: Pick<ChainedEntry, 'chain' | 'sequence'>) => `${sequence} of ${chain}`;
