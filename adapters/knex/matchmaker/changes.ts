/** The order of changes of patients, and the totals: how changes are settled, and how the feed and the counts are read. */
import { Fault, step } from '../../../core/storage.js';
import {
  type Changes,
  countsOf,
  type PatientCounts,
  TallyChange,
  type Totals,
  totalsOf,
} from '../../../plugins/matchmaker/contract.js';
import type { Database } from '../binding.js';
import { readRow } from '../rows.js';
import { factsIn, patientColumns, patientRows, type StoredPatientRow } from './layout.js';

// The order of changes, and the totals.
//
// A change is one row in `matchmaker_pending`, written with the patient and without waiting: on an engine with many
// writers, a shared counter would make each of them wait for the others' commits. A reader of changes or totals first
// *settles*: under the lock of the single row in `matchmaker_totals` it gives each changed patient the next revision in
// `matchmaker_feed`, updates the totals to the patient's present facts, and deletes the pending rows. Settling is serial
// and sees only committed changes, so that revisions become visible in order and without gaps; a patient that changes
// meanwhile is settled again.

/** Changes settled at a time. */
const portion = 1000;

interface ChangeState {
  revision: number;
  /** Read when they are needed: the feed needs the revision alone. */
  totals(): Totals;
}

interface StateRow {
  revision: unknown;
  counts: unknown;
  pending?: unknown;
}

/** The state after everything committed so far. */
async function settled(database: Database): Promise<ChangeState> {
  const { engine } = database;
  const [row] = await database.queryLatest<StateRow>(
    `select revision, counts, (select id from matchmaker_pending limit 1) as pending from matchmaker_totals where id = 1`,
    [],
  );
  if (row?.pending === null) return stateOf(engine, row);
  const after = await database.transaction(async (inside) => {
    const state = await lockState(inside);
    step('matchmaker.settle.locked');
    for (;;) {
      const pending = await inside
        .write('matchmaker_pending')
        .select<{ id: number; number: number }[]>('id', 'number')
        .orderBy('id')
        .limit(portion);
      if (pending.length === 0) break;
      await settle(inside, state, [...new Set(pending.map(({ number }) => number))]);
      const ids = pending.map(({ id }) => id);
      await engine.whereIn(inside.write('matchmaker_pending'), 'id', ids).delete();
      step('matchmaker.settle.cleared');
    }
    await writeState(inside, state);
    step('matchmaker.settle.written');
    return state;
  });
  step('matchmaker.settle.committed');
  return after;
}

/** Settles one patient within the caller's transaction, for a removal that must leave nothing behind. */
export async function settleNow(inside: Database, number: number): Promise<void> {
  const state = await lockState(inside);
  await settle(inside, state, [number]);
  await inside.write('matchmaker_pending').where({ number }).delete();
  await writeState(inside, state);
}

async function lockState({ write, engine }: Database): Promise<ChangeState> {
  const row = await engine
    .forUpdate(write('matchmaker_totals').select('revision', 'counts').where({ id: 1 }))
    .first<StateRow>();
  return stateOf(engine, row);
}

function stateOf({ values }: Database['engine'], { revision, counts }: StateRow): ChangeState {
  let totals: Totals | undefined;
  return {
    revision: values.parseBig(revision),
    totals: () => (totals ??= totalsOf(values.parseJson(counts))),
  };
}

async function writeState({ write, engine }: Database, { revision, totals }: ChangeState): Promise<void> {
  await write('matchmaker_totals')
    .where({ id: 1 })
    .update({ revision, counts: engine.values.json(totals()) });
}

interface FactsRow {
  number: number;
  facts: unknown;
}

async function settle(inside: Database, state: ChangeState, numbers: readonly number[]): Promise<void> {
  const { write, engine } = inside;
  const { values } = engine;
  const allIn = async (table: string) => {
    const rows: FactsRow[] = await engine.whereIn(write(table).select('number', 'facts'), 'number', numbers);
    return new Map(rows.map(({ number, facts }) => [number, factsIn(engine, facts)]));
  };
  const before = await allIn('matchmaker_feed');
  const now = await allIn('matchmaker_patients');
  const change = new TallyChange(state.totals());
  const rows = numbers.map((number) => {
    const [was, is] = [before.get(number), now.get(number)];
    if (was !== undefined) change.count(was, -1);
    if (is !== undefined) change.count(is, 1);
    return [number, ++state.revision, is === undefined ? null : (values.json(is) as string)];
  });
  await engine.whereIn(write('matchmaker_feed'), 'number', numbers).delete();
  step('matchmaker.settle.unfed');
  await engine.append(write, 'matchmaker_feed', ['number', 'revision', 'facts'], rows);
  step('matchmaker.settle.fed');
  await tally(inside, change);
  step('matchmaker.settle.tallied');
}

async function tally({ write, engine }: Database, change: TallyChange): Promise<void> {
  const moved = [...change.keys].filter(([, by]) => by !== 0);
  if (moved.length === 0) return;
  const keys = moved.map(([key]) => key);
  const found: { key: string; count: unknown }[] = await engine.whereIn(
    write('matchmaker_tally').select('key', 'count'),
    'key',
    keys,
  );
  const before = new Map(found.map(({ key, count }) => [key, engine.values.parseBig(count)]));
  const after = moved.map(([key, by]) => {
    const was = before.get(key) ?? 0;
    change.moved(key, was, was + by);
    return [key, was + by] as const;
  });
  await engine.whereIn(write('matchmaker_tally'), 'key', keys).delete();
  await engine.append(
    write,
    'matchmaker_tally',
    ['key', 'count'],
    after.filter(([, count]) => count > 0),
  );
}

// Reads the feed of changes, and the counts.

const batchSize = 1000;

interface FeedRow {
  feed_number: number;
  revision: unknown;
}

export async function* changesSince(database: Database, revision: number): AsyncGenerator<Changes> {
  const { engine } = database;
  const { revision: last } = await settled(database);
  if (revision > last) throw new Fault('conflict', 'The store is older than the state that was read before');
  let after = revision;
  while (after < last) {
    // One statement sees one state: a patient missing from it has moved on in the feed as well.
    const rows: (FeedRow & (StoredPatientRow | { number: null }))[] = await database.run(({ write }) =>
      write('matchmaker_feed as f')
        .leftJoin('matchmaker_patients as p', 'p.number', 'f.number')
        .select([{ feed_number: 'f.number' }, 'f.revision', ...patientColumns])
        .where('f.revision', '>', after)
        .where('f.revision', '<=', last)
        .orderBy('f.revision')
        .limit(batchSize),
    );
    const changes: Changes = { revision: last, saved: [], removed: [] };
    for (const row of rows) {
      const stored = row.number === null ? undefined : readRow(database, patientRows, row);
      if (stored === undefined) changes.removed.push(row.feed_number);
      else changes.saved.push(stored);
    }
    if (rows.length === batchSize) changes.revision = engine.values.parseBig(rows.at(-1)?.revision);
    yield changes;
    after = changes.revision;
  }
}

export async function counts(database: Database): Promise<PatientCounts> {
  return countsOf((await settled(database)).totals());
}

/** Counted in one state, from the facts stored with the patients. */
export function recount(database: Database): Promise<PatientCounts> {
  return database.snapshot(async (snapshot) => {
    const totals = totalsOf({});
    const change = new TallyChange(totals);
    let after = 0;
    for (;;) {
      const rows = await snapshot.query<{ number: number; facts: unknown }>(
        'select number, facts from matchmaker_patients where number > ? order by number limit ?',
        [after, batchSize],
      );
      for (const row of rows) {
        const facts = factsIn(snapshot.engine, row.facts);
        if (facts) change.count(facts, 1);
      }
      const end = rows.at(-1);
      if (!end) break;
      after = end.number;
    }
    for (const [key, count] of change.keys) change.moved(key, 0, count);
    return countsOf(totals);
  });
}
