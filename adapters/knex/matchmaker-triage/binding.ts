/** matchmaker-triage@1 on SQL: its store, with statements for what concerns many rows at once. */
import type { Knex } from 'knex';
import { keptRow } from '../../../core/storage.js';
import type { TriageRow, TriageStatus } from '../../../plugins/matchmaker/contract.js';
import {
  columnsOfRow,
  noteSeen,
  rows,
  seenColumns,
  store,
  submissions,
  visits,
} from '../../../plugins/matchmaker/triage/store.js';
import type { Database } from '../binding.js';
import { columnName, sqlRowOf } from '../rows.js';
import { bindingOf } from '../storage.js';
import { tablesOn } from '../tables.js';

/** Rows in one statement. */
const atOnce = 100;

export default bindingOf(store, (database) => {
  const { values } = database.engine;
  const time = (date: Date) => values.time(date) as string | number;
  return {
    seen: (sightings) =>
      database.transaction((scope) =>
        noteSeen(tablesOn(scope, true), sightings, {
          holdAll: (_, numbers) => holdAll(scope, numbers),
          putAll: (_, changed) => putAll(scope, changed),
        }),
      ),

    submissions: (page, person) =>
      database.snapshot(async (scope) => {
        const { owners, text, status, assignee, node, since, after, limit } = page;
        const query: Knex.QueryBuilder = scope
          .read(rows.name)
          .select('submission')
          .min('owner as owner')
          .max('last_seen as last')
          .groupBy('submission')
          .orderBy([
            { column: 'last', order: 'desc' },
            { column: 'submission', order: 'desc' },
          ])
          .limit(limit);
        if (owners !== undefined) scope.engine.whereIn(query, 'owner', [...new Set(owners)]);
        if (text !== undefined) query.whereRaw(`text like ? escape '!'`, [`%${escaped(text.toLowerCase())}%`]);
        if (status !== undefined) query.where({ status });
        if (assignee !== undefined) query.where({ assignee });
        if (node !== undefined) query.where({ node });
        if (since !== undefined) query.where('last_seen', '>=', time(since));
        if (after !== undefined) {
          query.havingRaw('(max(last_seen), submission) < (?, ?)', [time(after.last), after.submission]);
        }
        const found: { submission: number; owner: string; last: unknown }[] = await query;
        const counted = await counts(
          scope,
          found.map(({ submission }) => submission),
          person,
        );
        return found.map(({ submission, owner, last }) => {
          const { statuses, unseen } = counted.get(submission) ?? noCounts;
          return { submission, owner, last: values.parseTime(last), statuses, unseen };
        });
      }),

    summaries: (wanted, person) =>
      database.snapshot(async (scope) => {
        const counted = await counts(scope, wanted, person);
        return [...new Set(wanted)].map((submission) => ({ submission, ...(counted.get(submission) ?? noCounts) }));
      }),
  };
});

function* portionsOf<Item>(all: readonly Item[]): Generator<readonly Item[]> {
  for (let i = 0; i < all.length; i += atOnce) yield all.slice(i, i + atOnce);
}

async function holdAll({ write, engine: { values } }: Database, numbers: readonly number[]): Promise<Set<number>> {
  const present = new Set<number>();
  for (const some of portionsOf([...new Set(numbers)].sort((one, other) => one - other))) {
    const locked: { number: number; gone: unknown }[] = await write(submissions.name)
      .insert(some.map((number) => ({ number, gone: values.boolean(false), history: values.json([]) })))
      .onConflict('number')
      .merge(['number'])
      .returning(['number', 'gone']);
    for (const { number, gone } of locked) if (!values.parseBoolean(gone)) present.add(number);
  }
  return present;
}

async function putAll({ write, engine: { values } }: Database, changed: readonly TriageRow[]): Promise<void> {
  for (const some of portionsOf(changed)) {
    await write(rows.name)
      .insert(some.map((row) => sqlRowOf(values, rows, keptRow(rows, columnsOfRow(row)))))
      .onConflict('id')
      .merge(seenColumns.map(columnName));
  }
}

interface TriageCounts {
  last?: Date;
  statuses: Partial<Record<TriageStatus, number>>;
  unseen: number;
}

const noCounts: TriageCounts = { statuses: {}, unseen: 0 };

async function counts(scope: Database, wanted: readonly number[], person: string): Promise<Map<number, TriageCounts>> {
  const counted = new Map<number, TriageCounts>();
  if (wanted.length === 0) return counted;
  const { read, engine } = scope;
  const { values } = engine;
  const unseen = read.raw('sum(case when v.at is null or a.first_seen > v.at then 1 else 0 end) as unseen');
  const query = read(`${rows.name} as a`)
    .leftJoin(`${visits.name} as v`, (on) => on.on('v.submission', 'a.submission').andOnVal('v.person', person))
    .select('a.submission', 'a.status', unseen)
    .count('* as count')
    .max('a.last_seen as last')
    .groupBy('a.submission', 'a.status');
  const found: { submission: number; status: TriageStatus; unseen: unknown; count: unknown; last: unknown }[] =
    await engine.whereIn(query, 'a.submission', [...new Set(wanted)]);
  for (const { submission, status, unseen: fresh, count, last } of found) {
    const before = counted.get(submission) ?? noCounts;
    const at = values.parseTime(last);
    counted.set(submission, {
      last: before.last && before.last > at ? before.last : at,
      statuses: { ...before.statuses, [status]: values.parseBig(count) },
      unseen: before.unseen + values.parseBig(fresh),
    });
  }
  return counted;
}

/** Characters that mean more than themselves in a pattern. */
function escaped(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}
