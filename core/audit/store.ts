/** audit@1 above tables: for adapters without a binding of their own. */
import { Fault } from '../fault.js';
import {
  defineStore,
  defineTable,
  generated,
  integer,
  json,
  optional,
  type RowOf,
  type Tables,
  text,
  time,
} from '../table.js';
import {
  type AuditChain,
  type AuditCursor,
  type AuditRepository,
  type AuditSelection,
  audit,
  type ChainedEntry,
  type SealedLink,
} from './contract.js';

/** The `fingerprint` and the `register`. */
const texts = defineTable({ name: 'audit_texts', columns: { name: text(), value: text() }, key: ['name'] });

const chains = defineTable({
  name: 'audit_chains',
  columns: {
    /** In the order in which chains began. */
    place: generated(),
    id: text(),
    number: optional(integer()),
    started: time(),
    previous: optional(json<AuditChain['previous']>()),
    base: json<SealedLink>(),
    head: json<SealedLink>(),
  },
  key: ['place'],
  unique: [['id'], ['number']],
});

const pending = defineTable({
  name: 'audit_pending',
  columns: { place: generated(), id: text(), sealed: text() },
  key: ['place'],
  unique: [['id']],
});

const entries = defineTable({
  name: 'audit_entries',
  columns: {
    chain: text(),
    sequence: integer(),
    at: time(),
    actor: text(),
    about: json<readonly string[]>(),
    body: text(),
    hash: text(),
  },
  key: ['chain', 'sequence'],
  indexes: [['at', 'chain', 'sequence']],
});

/** What entries are found by. */
const subjects = defineTable({
  name: 'audit_subjects',
  columns: { subject: text(), at: time(), chain: text(), sequence: integer() },
  key: ['subject', 'at', 'chain', 'sequence'],
  indexes: [['chain', 'sequence']],
});

const people = defineTable({
  name: 'audit_people',
  columns: { lookup: text(), pseudonym: text(), sealed: text() },
  key: ['lookup'],
  unique: [['pseudonym']],
});

const byTime = ['at', 'chain', 'sequence'] as const;

function chainOf({ place: _, ...chain }: RowOf<typeof chains.columns>): AuditChain {
  return chain as AuditChain;
}

export const store = defineStore<AuditRepository>({
  contract: audit,
  tables: [texts, chains, pending, entries, subjects, people],
  steps: { '001-chains': { tables: [texts, chains, pending, entries, subjects, people] } },
  repository: (tables) => ({
    claim: (fingerprint) =>
      tables.transaction(async (inside) => {
        const row = { name: 'fingerprint', value: fingerprint };
        // Of two callers the second waits here for the first.
        return (await inside.table(texts).put(row, [])).value;
      }),

    begin: ({ id, number, started, previous, base, head }, register) =>
      tables.transaction(async (inside) => {
        await inside.table(texts).put({ name: 'register', value: register });
        const added = await inside.table(chains).add({ id, number, started, previous, base, head });
        if (added === undefined) throw new Fault('conflict', 'There is already a chain of this id or number');
      }),

    async chains() {
      return (await tables.table(chains).find({ order: ['place'] })).map(chainOf);
    },

    async latest() {
      const register = await tables.table(texts).one({ name: 'register' }, { latest: true });
      const last = await tables.table(chains).one({}, { order: ['place'], descending: true, latest: true });
      return { chain: last && chainOf(last), register: register?.value };
    },

    append: (id, after, added, head, settled = []) =>
      tables.transaction(async (inside) => {
        const [chain] = await inside.table(chains).lock({ id });
        if (chain?.head.sequence !== after) {
          throw new Fault('conflict', `The chain does not end after the entry ${after}`);
        }
        await inside.table(chains).change({ id }, { head });
        const removed = await inside.table(pending).remove({ id: { among: settled } });
        if (removed < settled.length) throw new Fault('not-found', 'An event is not pending');
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
      const rows = await tables.table(pending).find({ order: ['place'], limit });
      return rows.map(({ id, sealed }) => ({ id, sealed }));
    },

    links: (chain, after, limit) =>
      tables.snapshot(async (moment) => {
        const where = { chain, sequence: { above: after } };
        const found = await moment.table(entries).find({ where, order: ['chain', 'sequence'], limit });
        const among = found.map(({ sequence }) => sequence);
        const index = await moment.table(subjects).find({ where: { chain, sequence: { among } } });
        return found.map((entry) => {
          const rows = index.filter(({ sequence }) => sequence === entry.sequence);
          // A row with another time than its entry finds it where it is not.
          const indexed = rows.map(({ at, subject }) => (at.getTime() === entry.at.getTime() ? subject : ''));
          return { ...entry, indexed };
        });
      }),

    strays: (limit) =>
      tables.snapshot(async (moment) => {
        const known = new Map((await moment.table(chains).find()).map((chain) => [chain.id, chain]));
        const found: Pick<ChainedEntry, 'chain' | 'sequence'>[] = [];
        for await (const { chain, sequence } of moment.table(entries).each({ without: ['about', 'body'] })) {
          if (found.length === limit) break;
          const its = known.get(chain);
          if (!its || sequence <= its.base.sequence || sequence > its.head.sequence) found.push({ chain, sequence });
        }
        return found;
      }),

    entries: (selection) =>
      tables.snapshot(async (moment) => {
        const found: ChainedEntry[] = [];
        for await (const entry of entriesOf(moment, selection)) {
          if (found.length === selection.limit) break;
          found.push(entry);
        }
        return found;
      }),

    expire: (id, base) =>
      tables.transaction(async (inside) => {
        const [chain] = await inside.table(chains).lock({ id });
        if (chain === undefined || chain.base.sequence >= base.sequence) return 0;
        await inside.table(chains).change({ id }, { base });
        const over = { chain: id, sequence: { atMost: base.sequence } };
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

/** The entries that are selected, in the order of time. */
async function* entriesOf(
  moment: Tables,
  { about, actors, from, before, after }: AuditSelection,
): AsyncGenerator<ChainedEntry> {
  const first = after?.at ?? from;
  const at = { ...(first && { atLeast: first }), ...(before && { below: before }) };
  const then = first || before ? { at } : {};
  const isWanted = (place: AuditCursor) =>
    (after === undefined || compareInTime(place, after) > 0) && (from === undefined || place.at >= from);
  if (about === undefined) {
    const where = { ...then, ...(actors && { actor: { among: actors } }) };
    for await (const entry of moment.table(entries).each({ where, order: byTime })) if (isWanted(entry)) yield entry;
    return;
  }
  let last: AuditCursor | undefined;
  for await (const place of moment
    .table(subjects)
    .each({ where: { ...then, subject: { among: about } }, order: byTime })) {
    // An entry about several of them comes once.
    if (!isWanted(place) || (last && compareInTime(last, place) === 0)) continue;
    last = place;
    const { chain, sequence } = place;
    const entry = await moment.table(entries).one({ chain, sequence });
    if (entry && (actors?.includes(entry.actor) ?? true)) yield entry;
  }
}

function compareInTime(one: AuditCursor, other: AuditCursor): number {
  if (one.at.getTime() !== other.at.getTime()) return one.at.getTime() - other.at.getTime();
  if (one.chain !== other.chain) return one.chain < other.chain ? -1 : 1;
  return one.sequence - other.sequence;
}
