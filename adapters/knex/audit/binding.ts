/** audit@1 on SQL. */
import {
  type AuditRepository,
  audit,
  type ChainedEntry,
  Fault,
  type LinkedEntry,
  type PendingEvent,
} from '../../../core/storage.js';
import { type Database, defineBinding, type Engine } from '../binding.js';
import {
  type AuditEntryRow,
  type ChainRow,
  chainRows,
  chains,
  columnsOfChain,
  columnsOfLink,
  entries,
  entryRows,
  key,
  migrations,
  pendingTable,
  people,
  selectEntries,
  storedTime,
  subjects,
} from './rows.js';

interface PseudonymRow {
  lookup: string;
  pseudonym: string;
  sealed: string;
}

interface SubjectRow {
  subject: string;
  at: unknown;
  sequence: unknown;
}

/** Rows of one insert: SQLite allows 500 of them. */
const portion = 400;

const personColumns = ['lookup', 'pseudonym', 'sealed'];

function repository(database: Database): AuditRepository {
  const { values } = database.engine;
  const time = (date: Date) => values.time(date) as string | number;
  const readChain = (row: ChainRow) => chainRows.read(values, row);
  const readEntry = (row: AuditEntryRow) => entryRows.read(values, row);
  const peopleBy = (column: 'lookup' | 'pseudonym', wanted: readonly string[]) =>
    database.run<PseudonymRow[]>(({ read, engine }) =>
      engine.whereIn(read(people).select(personColumns), column, [...new Set(wanted)]),
    );

  return {
    claim: (fingerprint) =>
      database.transaction(async ({ write }) => {
        await write(key).insert({ number: 1, fingerprint }).onConflict('number').ignore();
        const [row] = await write(key).select('fingerprint');
        return row.fingerprint;
      }),

    begin: (chain, register) =>
      database.transaction(async ({ write }) => {
        // First, since of two that take one number the second waits here until the first is done.
        const added = await write(chains).insert(columnsOfChain(values, chain)).onConflict().ignore().returning('id');
        if (added.length === 0) throw new Fault('conflict', 'There is already a chain of this id or number');
        await write(key).update({ register });
      }),

    async chains() {
      const rows: ChainRow[] = await database.run(({ read }) =>
        read(chains).select(chainRows.columns).orderBy('number'),
      );
      return rows.map(readChain);
    },

    async latest() {
      // Not of a replica, which may lack the chain that another process has just begun.
      const kept: { register: string | null }[] = await database.run(({ write }) => write(key).select('register'));
      const rows: ChainRow[] = await database.run(({ write }) =>
        write(chains).select(chainRows.columns).orderBy('number', 'desc').limit(1),
      );
      return { chain: rows.map(readChain)[0], register: kept[0]?.register ?? undefined };
    },

    append: (chain, after, added, head, settled = []) =>
      database.transaction(async ({ write, engine }) => {
        // First, since it locks the chain: no other process appends between the check and the entries.
        const moved = await write(chains)
          .where({ id: chain, head_sequence: after })
          .update(columnsOfLink('head', head));
        if (moved === 0) throw new Fault('conflict', `The chain does not end after the entry ${after}`);
        if (settled.length > 0) {
          const removed = await engine.whereIn(write(pendingTable), 'id', settled).delete();
          if ((removed as unknown as number) < settled.length) throw new Fault('not-found', 'An event is not pending');
        }
        const rows = added.map((one) => [
          one.chain,
          one.sequence,
          time(one.at),
          one.actor,
          values.json(one.about) as string,
          one.body,
          one.hash,
        ]);
        await engine.append(write, entries, ['chain', 'sequence', 'at', 'actor', 'about', 'body', 'hash'], rows);
        const about = added.flatMap((one) =>
          one.about.map((subject) => [subject, time(one.at), one.chain, one.sequence]),
        );
        await engine.append(write, subjects, ['subject', 'at', 'chain', 'sequence'], about);
      }),

    submit: (events) =>
      database.run(({ write, engine }) => {
        const rows = events.map(({ id, sealed }) => [id, sealed]);
        return engine.append(write, pendingTable, ['id', 'sealed'], rows);
      }),

    async pending(limit) {
      const rows: PendingEvent[] = await database.run(({ read }) =>
        read(pendingTable).select('id', 'sealed').orderBy('number').limit(limit),
      );
      return rows.map(({ id, sealed }) => ({ id, sealed }));
    },

    async links(chain, after, limit) {
      const rows: AuditEntryRow[] = await database.run(({ read }) =>
        read(entries)
          .select(entryRows.columns)
          .where({ chain })
          .andWhere('sequence', '>', after)
          .orderBy('sequence')
          .limit(limit),
      );
      const found = rows.map(readEntry);
      const index: SubjectRow[] = await database.run(({ read }) =>
        read(subjects)
          .select('subject', 'at', 'sequence')
          .where({ chain })
          .whereBetween('sequence', [after + 1, found.at(-1)?.sequence ?? after]),
      );
      return withIndex(values, found, index);
    },

    async strays(limit) {
      const rows: Pick<AuditEntryRow, 'chain' | 'sequence'>[] = await database.run(({ read }) =>
        read(`${entries} as e`)
          .select('e.chain', 'e.sequence')
          .leftJoin(`${chains} as c`, 'c.id', 'e.chain')
          .whereRaw('c.id is null or e.sequence <= c.base_sequence or e.sequence > c.head_sequence')
          .orderBy(['e.chain', 'e.sequence'])
          .limit(limit),
      );
      return rows.map(({ chain, sequence }) => ({ chain, sequence: values.parseBig(sequence) }));
    },

    async entries(selection) {
      const rows: AuditEntryRow[] = await database.run(({ read, engine }) => selectEntries(read, engine, selection));
      return rows.map(readEntry);
    },

    expire: (chain, base) =>
      database.transaction(async ({ write }) => {
        const moved = await write(chains)
          .where({ id: chain })
          .andWhere('base_sequence', '<', base.sequence)
          .update(columnsOfLink('base', base));
        if (moved === 0) return 0;
        await write(subjects).where({ chain }).andWhere('sequence', '<=', base.sequence).delete();
        return write(entries).where({ chain }).andWhere('sequence', '<=', base.sequence).delete();
      }),

    enrol: (added) =>
      database.transaction(async ({ write, engine }) => {
        for (let i = 0; i < added.length; i += portion) {
          await write(people)
            .insert(added.slice(i, i + portion))
            .onConflict('lookup')
            .ignore();
        }
        const lookups = added.map(({ lookup }) => lookup);
        return engine.whereIn(write(people).select(personColumns), 'lookup', lookups) as unknown as PseudonymRow[];
      }),

    people: (lookups) => peopleBy('lookup', lookups),
    named: (pseudonyms) => peopleBy('pseudonym', pseudonyms),

    async forget(lookup) {
      return (await database.run(({ write }) => write(people).where({ lookup }).delete())) > 0;
    },
  };
}

/** A row of the index with another time than its entry finds the entry at the wrong time. */
function withIndex(
  values: Engine['values'],
  entries: readonly ChainedEntry[],
  index: readonly SubjectRow[],
): LinkedEntry[] {
  const bySequence = new Map<number, SubjectRow[]>();
  for (const row of index) {
    const sequence = values.parseBig(row.sequence);
    const known = bySequence.get(sequence);
    if (known) known.push(row);
    else bySequence.set(sequence, [row]);
  }
  return entries.map((entry) => {
    const rows = bySequence.get(entry.sequence) ?? [];
    const isThen = ({ at }: SubjectRow) => storedTime(values, at).getTime() === entry.at.getTime();
    return { ...entry, indexed: rows.map((row) => (isThen(row) ? row.subject : '')) };
  });
}

export default defineBinding({ contract: audit, migrations, repository });
