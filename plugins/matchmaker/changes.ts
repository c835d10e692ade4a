/**
 * Patients as they are stored, the order in which they changed, and the totals.
 *
 * A change is one row of `pending`, written with the patient and without waiting: with many writers, a shared counter would make
 * each of them wait for the others' commits. A reader of changes or totals first *settles*: while it holds the single row of
 * `totals` it gives each changed patient the next revision in `feed`, updates the totals to the patient's present facts, and
 * removes the pending rows. Settling is serial and sees only committed changes, so that revisions become visible in order and
 * without gaps; a patient that changes meanwhile is settled again.
 */
import {
  defineTable,
  Fault,
  generated,
  integer,
  json,
  optional,
  person,
  type RowOf,
  small,
  step,
  type Tables,
  text,
  time,
  user,
} from '../../core/storage.js';
import {
  type Changes,
  countsOf,
  isFacts,
  isPatient,
  type Patient,
  type PatientCounts,
  type PatientFacts,
  type StoredPatient,
  TallyChange,
  type Totals,
  totalsOf,
} from './contract.js';

const withPatient = 'with the patient';

export const patients = defineTable({
  name: 'matchmaker_patients',
  columns: {
    ...{ number: generated(), id: person(text()), version: small(), owner: user(text(), withPatient) },
    ...{ label: person(optional(text())), href: user(text(), withPatient) },
    ...{ created: time(), updated: time(), document: person(json<Patient>()), facts: person(json<PatientFacts>()) },
  },
  key: ['number'],
  unique: [['id']],
  indexes: [['label'], ['href'], ['owner', 'number']],
  // A damaged patient is left out; it can be replaced and removed.
  sound: ({ document }) => document === undefined || isPatient(document),
  isIntact: ({ facts }) => isFacts(facts),
});

const pending = defineTable({
  name: 'matchmaker_pending',
  columns: { id: generated(), number: small() },
  key: ['id'],
  indexes: [['number']],
});

/** When each patient was last changed, and the part of the totals that is due to it: nothing once it is removed. */
const feed = defineTable({
  name: 'matchmaker_feed',
  columns: { number: small(), revision: integer(), facts: person(optional(json<PatientFacts>())) },
  key: ['number'],
  unique: [['revision']],
});

const tally = defineTable({
  name: 'matchmaker_tally',
  columns: { key: person(text()), count: integer() },
  key: ['key'],
});

/** A single row. */
const totals = defineTable({
  name: 'matchmaker_totals',
  columns: { id: small(), revision: integer(), counts: json<Partial<Totals>>() },
  key: ['id'],
  first: { id: 1, revision: 0, counts: {} },
});

export type StoredPatientRow = Omit<RowOf<typeof patients.columns>, 'facts'>;

/** In the order in which transactions hold their rows. */
export const tablesOfChanges = [patients, totals, pending, feed, tally];

export const without = ['facts'] as const;
const numbersOnly = ['id', 'version', 'owner', 'label', 'href', 'created', 'updated', 'document'] as const;

export function storedOf({ number, version, owner, created, updated, document }: StoredPatientRow): StoredPatient {
  return { number, version, owner, created, updated, patient: document };
}

/** Nothing is counted of facts that are damaged. */
const countable = (facts: PatientFacts | undefined) => (isFacts(facts) ? facts : undefined);

export function notePending(inside: Tables, numbers: readonly number[]): Promise<void> {
  return inside.table(pending).append(numbers.map((number) => ({ number })));
}

/** Changes settled, and read, at a time. */
const portion = 1000;

interface ChangeState {
  revision: number;
  totals: Totals;
}

async function holdState(inside: Tables): Promise<ChangeState> {
  const [row] = await inside.table(totals).lock({ id: 1 });
  if (row === undefined) throw new Fault('internal', 'The totals of the matchmaker are missing');
  return { revision: row.revision, totals: totalsOf(row.counts) };
}

async function writeState(inside: Tables, { revision, totals: counts }: ChangeState): Promise<void> {
  await inside.table(totals).change({ id: 1 }, { revision, counts });
}

/** Settles one patient within the caller's transaction, for a removal that must leave nothing behind. */
export async function settleNow(inside: Tables, number: number): Promise<void> {
  const state = await holdState(inside);
  await settle(inside, state, [number]);
  await inside.table(pending).remove({ number });
  await writeState(inside, state);
}

/** Whether changes wait to be settled, and the last revision if none do: as of everything committed so far. */
export type LookAtChanges = () => Promise<{ isPending: boolean; revision: number }>;

function lookIn(tables: Tables): LookAtChanges {
  return async () => {
    // First, so that the revision is not older than the changes that do not wait.
    const [first] = await tables.table(pending).find({ limit: 1, latest: true });
    const row = await tables.table(totals).one({ id: 1 }, { without: ['counts'], latest: true });
    return { isPending: first !== undefined, revision: row?.revision ?? 0 };
  };
}

/** The revision after everything committed so far. */
async function settled(tables: Tables, look: LookAtChanges): Promise<number> {
  const { isPending, revision } = await look();
  if (!isPending) return revision;
  const after = await tables.transaction(async (inside) => {
    const state = await holdState(inside);
    step('matchmaker.settle.locked');
    for (;;) {
      const some = await inside.table(pending).find({ order: ['id'], limit: portion });
      if (some.length === 0) break;
      await settle(inside, state, [...new Set(some.map(({ number }) => number))]);
      await inside.table(pending).remove({ id: { among: some.map(({ id }) => id) } });
      step('matchmaker.settle.cleared');
    }
    await writeState(inside, state);
    step('matchmaker.settle.written');
    return state.revision;
  });
  step('matchmaker.settle.committed');
  return after;
}

async function settle(inside: Tables, state: ChangeState, numbers: readonly number[]): Promise<void> {
  const where = { number: { among: numbers } };
  const before = new Map((await inside.table(feed).find({ where })).map(({ number, facts }) => [number, facts]));
  const rows = await inside.table(patients).find({ where, without: numbersOnly });
  const now = new Map(rows.map(({ number, facts }) => [number, countable(facts)]));
  const change = new TallyChange(state.totals);
  const fed = numbers.map((number) => {
    const [was, is] = [countable(before.get(number)), now.get(number)];
    if (was !== undefined) change.count(was, -1);
    if (is !== undefined) change.count(is, 1);
    return { number, revision: ++state.revision, facts: is };
  });
  await inside.table(feed).remove(where);
  step('matchmaker.settle.unfed');
  await inside.table(feed).append(fed);
  step('matchmaker.settle.fed');
  await countUp(inside, change);
  step('matchmaker.settle.tallied');
}

async function countUp(inside: Tables, change: TallyChange): Promise<void> {
  const moved = [...change.keys].filter(([, by]) => by !== 0);
  if (moved.length === 0) return;
  const where = { key: { among: moved.map(([key]) => key) } };
  const before = new Map((await inside.table(tally).find({ where })).map(({ key, count }) => [key, count]));
  const after = moved.map(([key, by]) => {
    const was = before.get(key) ?? 0;
    change.moved(key, was, was + by);
    return { key, count: was + by };
  });
  await inside.table(tally).remove(where);
  await inside.table(tally).append(after.filter(({ count }) => count > 0));
}

/** See `MatchmakerRepository.changesSince`. */
export async function* changesIn(
  tables: Tables,
  revision: number,
  look: LookAtChanges = lookIn(tables),
): AsyncGenerator<Changes> {
  const last = await settled(tables, look);
  if (revision > last) throw new Fault('conflict', 'The store is older than the state that was read before');
  for (let after = revision; after < last; ) {
    const where = { revision: { above: after } };
    const rows = await tables.table(feed).find({
      ...{ where, order: ['revision'], limit: portion, without: ['facts'], latest: true },
    });
    const numbers = rows.map(({ number }) => number);
    // A patient that is missing by now has moved on in the feed as well.
    const found = await tables.table(patients).find({ where: { number: { among: numbers } }, without, latest: true });
    const saved = new Map(found.map((row) => [row.number, storedOf(row)]));
    after = rows.length < portion ? last : (rows.at(-1) as (typeof rows)[number]).revision;
    yield {
      revision: after,
      saved: numbers.flatMap((number) => saved.get(number) ?? []),
      removed: numbers.filter((number) => !saved.has(number)),
    };
  }
}

/** See `MatchmakerRepository.counts`. */
export async function countsIn(tables: Tables): Promise<PatientCounts> {
  await settled(tables, lookIn(tables));
  const row = await tables.table(totals).one({ id: 1 }, { latest: true });
  return countsOf(totalsOf(row?.counts ?? {}));
}

/** See `MatchmakerRepository.recount`. */
export function recountIn(tables: Tables): Promise<PatientCounts> {
  return tables.snapshot(async (moment) => {
    const counted = totalsOf({});
    const change = new TallyChange(counted);
    for await (const { facts } of moment.table(patients).each({ without: numbersOnly })) {
      if (isFacts(facts)) change.count(facts, 1);
    }
    for (const [key, count] of change.keys) change.moved(key, 0, count);
    return countsOf(counted);
  });
}
