/** Reads the feed of changes, and the counts. */
import { Fault } from '../../../core/storage.js';
import {
  type Changes,
  countsOf,
  type PatientCounts,
  TallyChange,
  totalsOf,
} from '../../../plugins/matchmaker/contract.js';
import type { Database } from '../binding.js';
import { readRow } from '../rows.js';
import { factsIn, type PatientRow, patientColumns, patientRows } from './layout.js';
import { settled } from './settle.js';

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
    const rows: (FeedRow & (PatientRow | { number: null }))[] = await database.run(({ write }) =>
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
  return countsOf((await settled(database)).totals);
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
