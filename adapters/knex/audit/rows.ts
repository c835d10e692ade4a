/**
 * The tables of audit@1, their rows, and how entries are selected, ordered by time, chain and number. Damaged rows are not set
 * aside: in a chain a missing entry is a finding, and the verification reports it with its place.
 */
import type { Knex } from 'knex';
import type { AuditChain, AuditSelection, ChainedEntry, SealedLink } from '../../../core/storage.js';
import type { Engine, SchemaStep } from '../binding.js';

export const chains = 'audit_chains';
export const entries = 'audit_entries';
export const subjects = 'audit_subjects';
export const people = 'audit_people';
export const key = 'audit_key';
export const pendingTable = 'audit_pending';

/** The tables as release 0.2 has them. */
const tables: SchemaStep = {
  replaces: ['001-chains-entries-and-people'],
  async up(schema, { columns }) {
    await schema.schema.createTable(key, (table) => {
      // One row: whose number is always 1.
      table.integer('number').primary();
      columns.text(table, 'fingerprint').notNullable();
    });
    await schema.schema.createTable(chains, (table) => {
      table.increments('number');
      columns.text(table, 'id').notNullable().unique();
      columns.time(table, 'started').notNullable();
      columns.text(table, 'previous_chain');
      columns.big(table, 'previous_sequence');
      columns.text(table, 'previous_hash');
      for (const end of ['base', 'head']) {
        columns.big(table, `${end}_sequence`).notNullable();
        columns.text(table, `${end}_hash`).notNullable();
        columns.text(table, `${end}_seal`).notNullable();
      }
    });
    await schema.schema.createTable(entries, (table) => {
      columns.text(table, 'chain').notNullable();
      columns.big(table, 'sequence').notNullable();
      columns.time(table, 'at').notNullable();
      columns.text(table, 'actor').notNullable();
      columns.json(table, 'about').notNullable();
      columns.text(table, 'body').notNullable();
      columns.text(table, 'hash').notNullable();
      table.primary(['chain', 'sequence']);
      table.index(['at', 'chain', 'sequence'], 'audit_entries_at');
      table.index(['actor', 'at', 'chain', 'sequence'], 'audit_entries_actor');
    });
    await schema.schema.createTable(subjects, (table) => {
      columns.text(table, 'subject').notNullable();
      columns.time(table, 'at').notNullable();
      columns.text(table, 'chain').notNullable();
      columns.big(table, 'sequence').notNullable();
      table.primary(['subject', 'at', 'chain', 'sequence']);
      table.index(['chain', 'sequence'], 'audit_subjects_entry');
    });
    await schema.schema.createTable(people, (table) => {
      columns.text(table, 'lookup').primary();
      columns.text(table, 'pseudonym').notNullable().unique();
      columns.text(table, 'sealed').notNullable();
    });
    await schema.schema.createTable(pendingTable, (table) => {
      table.increments('number');
      columns.text(table, 'id').notNullable().unique();
      columns.text(table, 'sealed').notNullable();
    });
  },
  async down(schema) {
    for (const table of [pendingTable, people, subjects, entries, chains, key]) await schema.schema.dropTable(table);
  },
};

/** How many chains there are is known beside them, so that none can be taken away unseen. */
const numbered: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.alterTable(chains, (table) => {
      columns.big(table, 'ordinal');
    });
    await schema.raw(`create unique index audit_chains_ordinal on ${chains} (ordinal)`);
    await schema.schema.alterTable(key, (table) => {
      columns.text(table, 'register');
    });
  },
  async down(schema) {
    await schema.raw(`alter table ${key} drop column register`);
    await schema.raw('drop index audit_chains_ordinal');
    await schema.raw(`alter table ${chains} drop column ordinal`);
  },
};

export const migrations = {
  '002-pending-events': tables,
  '003-numbers-of-chains': numbered,
};

// The rows.

export interface ChainRow {
  id: string;
  started: unknown;
  ordinal: unknown;
  previous_chain: string | null;
  previous_sequence: unknown;
  previous_hash: string | null;
  base_sequence: unknown;
  base_hash: string;
  base_seal: string;
  head_sequence: unknown;
  head_hash: string;
  head_seal: string;
}

export interface AuditEntryRow {
  chain: string;
  sequence: unknown;
  at: unknown;
  actor: string;
  about: unknown;
  body: string;
  hash: string;
}

/** The columns of one end of a chain. */
export function columnsOfLink(
  end: 'base' | 'head',
  { sequence, hash, seal }: SealedLink,
): Record<string, string | number> {
  return { [`${end}_sequence`]: sequence, [`${end}_hash`]: hash, [`${end}_seal`]: seal };
}

export function columnsOfChain(
  values: Engine['values'],
  { id, started, number, previous, base, head }: AuditChain,
): object {
  return {
    id,
    started: values.time(started),
    ordinal: number ?? null,
    previous_chain: previous?.chain ?? null,
    previous_sequence: previous?.sequence ?? null,
    previous_hash: previous?.hash ?? null,
    ...columnsOfLink('base', base),
    ...columnsOfLink('head', head),
  };
}

export const chainRows = {
  columns: [
    ...['id', 'started', 'ordinal', 'previous_chain', 'previous_sequence', 'previous_hash'],
    ...['base_sequence', 'base_hash', 'base_seal', 'head_sequence', 'head_hash', 'head_seal'],
  ],
  read: (values: Engine['values'], row: ChainRow): AuditChain => ({
    id: row.id,
    started: values.parseTime(row.started),
    ...(row.ordinal !== null && { number: values.parseBig(row.ordinal) }),
    ...(row.previous_chain !== null &&
      row.previous_hash !== null && {
        previous: {
          chain: row.previous_chain,
          sequence: values.parseBig(row.previous_sequence),
          hash: row.previous_hash,
        },
      }),
    base: { sequence: values.parseBig(row.base_sequence), hash: row.base_hash, seal: row.base_seal },
    head: { sequence: values.parseBig(row.head_sequence), hash: row.head_hash, seal: row.head_seal },
  }),
};

export const entryRows = {
  columns: ['chain', 'sequence', 'at', 'actor', 'about', 'body', 'hash'],
  read: (values: Engine['values'], row: AuditEntryRow): ChainedEntry => ({
    chain: row.chain,
    sequence: values.parseBig(row.sequence),
    at: storedTime(values, row.at),
    actor: row.actor,
    about: listIn(values, row.about),
    body: row.body,
    hash: row.hash,
  }),
};

/** A time that was changed by hand into none is invalid. */
export function storedTime(values: Engine['values'], stored: unknown): Date {
  try {
    return values.parseTime(stored);
  } catch {
    return new Date(Number.NaN);
  }
}

/** A list that was changed by hand counts as empty: it is then not what the body of the entry says. */
function listIn(values: Engine['values'], stored: unknown): string[] {
  try {
    const list = values.parseJson(stored);
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

// Selecting entries of the audit, ordered by time, chain and number.

const order = ['at', 'chain', 'sequence'];

export function selectEntries(read: Knex, engine: Engine, selection: AuditSelection): Knex.QueryBuilder {
  const { about, actors, limit } = selection;
  if (about === undefined) {
    const query = within(read(entries).select(entryRows.columns), engine, selection);
    if (actors !== undefined) engine.whereIn(query, 'actor', [...new Set(actors)]);
    return query.orderBy(order).limit(limit);
  }
  // An entry about several of them is found by each, and wanted once.
  const found = within(read(subjects).distinct(order), engine, selection);
  engine.whereIn(found, 'subject', [...new Set(about)]);
  if (actors === undefined) found.orderBy(order).limit(limit);
  const query = read
    .select(entryRows.columns.map((column) => `e.${column}`))
    .from(found.as('f'))
    .join(`${entries} as e`, (on) => on.on('e.chain', 'f.chain').andOn('e.sequence', 'f.sequence'));
  if (actors !== undefined) engine.whereIn(query, 'e.actor', [...new Set(actors)]).limit(limit);
  return query.orderBy(order.map((column) => `e.${column}`));
}

function within(
  query: Knex.QueryBuilder,
  { values }: Engine,
  { from, before, after }: AuditSelection,
): Knex.QueryBuilder {
  const time = (date: Date) => values.time(date) as string | number;
  if (from !== undefined) query.where('at', '>=', time(from));
  if (before !== undefined) query.where('at', '<', time(before));
  if (after !== undefined) {
    query.whereRaw('(at, chain, sequence) > (?, ?, ?)', [time(after.at), after.chain, after.sequence]);
  }
  return query;
}
