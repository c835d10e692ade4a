/** matchmaker-triage@1 on SQL. */
import type { Knex } from 'knex';
import { step } from '../../../core/storage.js';
import {
  matchmakerTriage,
  revived,
  sighted,
  type TriageEntry,
  type TriageRepository,
  type TriageRow,
  type TriageStatus,
  visitAt,
} from '../../../plugins/matchmaker/contract.js';
import { type Database, defineBinding, type Scalar } from '../binding.js';
import { readRow, readRows } from '../rows.js';
import {
  columnsOfTriageRow,
  contentName,
  idName,
  migrations,
  names,
  namesOfTriageRow,
  rows,
  type StoredTriageRow,
  seenColumns,
  submissions,
  triageRows,
  visits,
  workColumns,
} from './rows.js';

/** Rows in one statement. */
const atOnce = 100;

const selection = triageRows.columns.map((column) => `a.${column}`).join(', ');

function repository(database: Database): TriageRepository {
  const { values } = database.engine;
  const time = (date: Date) => values.time(date) as string | number;

  async function withName(scope: Database, name: string, nodes?: readonly string[]): Promise<string[]> {
    const query = scope.read(names).distinct('row').where({ name });
    const found: { row: string }[] = await (nodes === undefined
      ? query
      : scope.engine.whereIn(query, 'node', [...new Set(nodes)]));
    return found.map(({ row }) => row);
  }

  return {
    async seen(sightings) {
      if (sightings.length === 0) return;
      await database.transaction(async (scope) => {
        const numbers = [...new Set(sightings.map(({ submission }) => submission))];
        const present = await lock(scope, numbers);
        const usable = sightings.filter(({ submission }) => present.has(submission));
        if (usable.length === 0) return;
        const asked = usable.flatMap(({ submission, node, patient, content }) =>
          [idName(patient), contentName(content)].map((name) => [name, node.id, submission]),
        );
        const bound = scope.engine.bound({ name: 'text', node: 'text', submission: 'integer' });
        const where = 'a.name = q.name and a.node = q.node and a.submission = q.submission';
        const named = await scope.query<{ row: string }>(
          `select distinct a.row as row ${scope.engine.lookUp(bound, names, where)}`,
          [values.json(asked) as string],
        );
        const known = await rowsById(
          scope,
          named.map(({ row }) => row),
        );
        step('matchmaker.triage.read');
        await write(scope, sighted(known, usable), known);
      });
    },

    async row(id) {
      const [row] = await database.query<StoredTriageRow>(`select ${selection} from ${rows} a where id = ?`, [id]);
      return row && readRow(database, triageRows, row);
    },

    async rows(submission) {
      const sql = `select ${selection} from ${rows} a where submission = ? order by last_seen desc, id`;
      return readRows(database, triageRows, await database.query<StoredTriageRow>(sql, [submission]));
    },

    rowsAbout: (patient, nodes) =>
      database.snapshot(async (scope) => rowsById(scope, await withName(scope, idName(patient), nodes))),

    submissions: (page, person) =>
      database.snapshot(async (scope) => {
        const { owners, text, status, assignee, node, since, after, limit } = page;
        const query: Knex.QueryBuilder = scope
          .read(rows)
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

    async change(id, revision, work) {
      const columns = { ...workColumns(work, values), revision: revision + 1 };
      return (await database.run(({ write }) => write(rows).where({ id, revision }).update(columns))) > 0;
    },

    note: (submission, entry) =>
      database.transaction(async (scope) => {
        const history = (await lock(scope, [submission])).get(submission);
        if (history === undefined) return false;
        await scope
          .write(submissions)
          .where({ number: submission })
          .update({ history: values.json([...history, entry]) });
        return true;
      }),

    async notes(submission) {
      const sql = `select history from ${submissions} where number = ?`;
      const [row] = await database.query<{ history: unknown }>(sql, [submission]);
      return row ? historyOf(database, row.history) : [];
    },

    visit: (person, submission, at) =>
      database.transaction(async ({ write, engine }) => {
        const [known]: { since: unknown; at: unknown }[] = await engine.forUpdate(
          write(visits).select('since', 'at').where({ person, submission }),
        );
        const before = known && {
          since: known.since === null ? undefined : values.parseTime(known.since),
          at: values.parseTime(known.at),
        };
        const { since } = visitAt(before, at);
        const row = { person, submission, since: since ? time(since) : null, at: time(at) };
        await write(visits).insert(row).onConflict(['person', 'submission']).merge();
        return since;
      }),

    forget: ({ submission, patient, nodes }) =>
      database.transaction(async (scope) => {
        const about = patient === undefined ? [] : await withName(scope, idName(patient), nodes);
        const numbers = await submissionsOf(scope, about);
        // All locks at once, in the order that searches take them.
        await lock(scope, submission === undefined ? numbers : [...new Set([...numbers, submission])]);
        const removed = await removeRows(scope, about);
        if (submission === undefined) return removed;
        const gone = { gone: values.boolean(true), history: values.json([]) };
        await scope.write(submissions).where({ number: submission }).update(gone);
        await scope.write(visits).where({ submission }).delete();
        await scope.write(names).where({ submission }).delete();
        return removed + (await scope.write(rows).where({ submission }).delete());
      }),

    async expire(before) {
      const isOld = (query: Knex.QueryBuilder) => query.where({ revision: 1 }).where('last_seen', '<', time(before));
      for (let removed = 0; ; ) {
        const portion = await database.transaction(async (scope) => {
          const old: { id: string }[] = await isOld(scope.write(rows).select('id')).limit(atOnce);
          const ids = old.map(({ id }) => id);
          await lock(scope, await submissionsOf(scope, ids));
          return removeRows(scope, ids, isOld);
        });
        removed += portion;
        if (portion === 0) return removed;
      }
    },
  };
}

/** Locks the submissions until the end of the transaction, by number; returns the histories of those not forgotten. */
async function lock({ write, engine, log }: Database, numbers: readonly number[]): Promise<Map<number, TriageEntry[]>> {
  const found = new Map<number, TriageEntry[]>();
  const inOrder = [...numbers].sort((one, other) => one - other);
  const { values } = engine;
  for (let i = 0; i < inOrder.length; i += atOnce) {
    const added = inOrder
      .slice(i, i + atOnce)
      .map((number) => ({ number, gone: values.boolean(false), history: values.json([]) }));
    const locked: { number: number; gone: unknown; history: unknown }[] = await write(submissions)
      .insert(added)
      .onConflict('number')
      .merge(['number'])
      .returning(['number', 'gone', 'history']);
    for (const { number, gone, history } of locked) {
      if (!values.parseBoolean(gone)) found.set(number, historyOf({ engine, log }, history));
    }
  }
  return found;
}

function historyOf({ engine }: Pick<Database, 'engine' | 'log'>, stored: unknown): TriageEntry[] {
  return revived({ history: engine.values.parseJson(stored) as TriageEntry[] }, 'history').history;
}

async function rowsById(scope: Database, ids: readonly string[]): Promise<TriageRow[]> {
  if (ids.length === 0) return [];
  const query = scope.engine.whereIn(scope.read(rows).select(triageRows.columns), 'id', ids);
  const found: StoredTriageRow[] = await query.orderBy('id');
  return readRows(scope, triageRows, found);
}

/** Adds and updates rows, with the names by which they are found. What people noted stays. */
async function write(scope: Database, changed: readonly TriageRow[], known: readonly TriageRow[]): Promise<void> {
  const { engine } = scope;
  for (let i = 0; i < changed.length; i += atOnce) {
    const some = changed.slice(i, i + atOnce).map((row) => columnsOfTriageRow(row, engine.values));
    await scope
      .write(rows)
      .insert(some)
      .onConflict('id')
      .merge([...seenColumns]);
  }
  step('matchmaker.triage.written');
  const before = new Set(known.flatMap(namesOfTriageRow).map(keyOfName));
  const after = changed.flatMap(namesOfTriageRow);
  const ids = new Set(changed.map(({ id }) => id));
  const kept = new Set(after.map(keyOfName));
  const gone = known.filter(({ id }) => ids.has(id)).flatMap(namesOfTriageRow);
  for (const name of gone.filter((one) => !kept.has(keyOfName(one)))) await scope.write(names).where(name).delete();
  const added = after.filter((name) => !before.has(keyOfName(name)));
  const columns = ['name', 'node', 'submission', 'row'] as const;
  const list = added.map((name): Scalar[] => columns.map((column) => name[column]));
  await engine.append(scope.write, names, columns, list);
}

function keyOfName({ name, node, submission, row }: ReturnType<typeof namesOfTriageRow>[number]): string {
  return JSON.stringify([name, node, submission, row]);
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
  const query = read(`${rows} as a`)
    .leftJoin(`${visits} as v`, (on) => on.on('v.submission', 'a.submission').andOnVal('v.person', person))
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

async function submissionsOf({ write, engine }: Database, ids: readonly string[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const found: { submission: number }[] = await engine.whereIn(write(rows).distinct('submission'), 'id', ids);
  return found.map(({ submission }) => submission);
}

/** The submissions are locked. */
async function removeRows(
  { write, engine }: Database,
  ids: readonly string[],
  only: (query: Knex.QueryBuilder) => Knex.QueryBuilder = (query) => query,
): Promise<number> {
  if (ids.length === 0) return 0;
  const found: { id: string }[] = await engine.forUpdate(only(engine.whereIn(write(rows).select('id'), 'id', ids)));
  const gone = found.map(({ id }) => id);
  await engine.whereIn(write(rows), 'id', gone).delete();
  await engine.whereIn(write(names), 'row', gone).delete();
  return gone.length;
}

/** Characters that mean more than themselves in a pattern. */
function escaped(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}

export default defineBinding({ contract: matchmakerTriage, migrations, rows: [triageRows], repository });
