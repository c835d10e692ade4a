/** Selecting entries of the audit, ordered by time, chain and number. */
import type { Knex } from 'knex';
import type { AuditSelection } from '../../../core/storage.js';
import type { Engine } from '../binding.js';
import { entries, subjects } from './migrations.js';
import { entryRows } from './rows.js';

const order = ['at', 'chain', 'sequence'];

export function selected(read: Knex, engine: Engine, selection: AuditSelection): Knex.QueryBuilder {
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
