/** matchmaker-triage@1 above tables. A change of the rows of a submission holds the submission. */
import {
  absent,
  boolean,
  type Conditions,
  defineStore,
  defineTable,
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
} from '../../../core/storage.js';
import { isRecord } from '../patients/patient.js';
import {
  matchmakerTriage,
  revived,
  type Seen,
  type Sighting,
  sighted,
  type TriageEntry,
  type TriageRepository,
  type TriageRow,
  type TriageSummary,
  type TriageWork,
  textOf,
  visitAt,
} from './contract.js';

/** Every submission that was ever seen: searches lock it. Of one that was forgotten only the number stays. */
const withTheMatch = 'with the match';

export const submissions = defineTable({
  name: 'matchmaker_triage_submissions',
  columns: { number: small(), gone: boolean(), history: person(json<TriageEntry[]>()) },
  key: ['number'],
});

export const rows = defineTable({
  name: 'matchmaker_triage_rows',
  columns: {
    ...{ id: text(), submission: small(), owner: user(text(), withTheMatch), node: text() },
    ...{ patient: person(text()), firstSeen: time(), lastSeen: time(), seen: person(json<Seen>()) },
    ...{ text: person(text()), revision: small(), status: text() },
    ...{ assignee: user(optional(text()), withTheMatch), work: person(json<TriageWork>()) },
  },
  key: ['id'],
  indexes: [['submission'], ['owner', 'submission', 'lastSeen']],
  // A damaged row is left out: the next search makes another one.
  sound: ({ seen, work }) => (seen === undefined || isSeen(seen)) && (work === undefined || isWork(work)),
});

function isSeen(seen: unknown): boolean {
  if (!isRecord(seen) || !isRecord(seen.contact) || !isRecord(seen.score)) return false;
  return [seen.scores, seen.genes, seen.terms, seen.stated, seen.formerIds, seen.own].every(Array.isArray);
}

function isWork(work: unknown): boolean {
  return isRecord(work) && typeof work.status === 'string' && Array.isArray(work.history);
}

/** What a search changes of a row; the rest is people's. */
export const seenColumns = ['node', 'patient', 'lastSeen', 'seen', 'text'] as const;

/** By which a counterpart is found: "p:" with an id that it has or had, "c:" with the digest of its content. */
const names = defineTable({
  name: 'matchmaker_triage_names',
  columns: { name: person(text()), node: text(), submission: small(), row: text() },
  key: ['name', 'node', 'submission', 'row'],
  indexes: [['row']],
});

const idName = (id: string) => `p:${id}`;
const contentName = (content: string) => `c:${content}`;

export const visits = defineTable({
  name: 'matchmaker_triage_visits',
  columns: { person: user(text(), 'with the patient'), submission: small(), since: optional(time()), at: time() },
  key: ['person', 'submission'],
  indexes: [['submission']],
});

type CounterpartRow = RowOf<typeof rows.columns>;

const without = ['seen', 'work'] as const;
/** Rows that expire in one transaction. */
const expiredAtOnce = 100;

/** As JSON has it: `revived` takes it back. */
const plain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

function rowOf({ seen, work, text: _, status: __, assignee: ___, ...row }: CounterpartRow): TriageRow {
  return { ...revived(seen, 'scores'), ...row, work: revived(work, 'history') };
}

export function columnsOfRow(row: TriageRow): CounterpartRow {
  const { id, submission, owner, node, patient, firstSeen, lastSeen, revision, work, ...seen } = row;
  return {
    ...{ id, submission, owner, node, patient, firstSeen, lastSeen, seen: plain(seen), text: textOf(row), revision },
    ...{ status: work.status, assignee: work.assignee, work: plain(work) },
  };
}

/** All names by which the row is found. */
function namesOfRow({ id, node, submission, patient, formerIds, content }: TriageRow) {
  const all = [...[patient, ...formerIds].map(idName), contentName(content)];
  return all.map((name) => ({ name, node, submission, row: id }));
}

type RowName = RowOf<typeof names.columns>;

const keyOfName = ({ name, node, submission, row }: RowName) => JSON.stringify([name, node, submission, row]);

/** Holds a submission until the end of the transaction. */
function hold(inside: Tables, number: number) {
  return inside.table(submissions).put({ number, gone: false, history: [] }, []);
}

/** Holds submissions in one order; returns those that were not forgotten. */
async function holdAll(inside: Tables, numbers: readonly number[]): Promise<ReadonlySet<number>> {
  const present = new Set<number>();
  for (const number of [...new Set(numbers)].sort((one, other) => one - other)) {
    if (!(await hold(inside, number)).gone) present.add(number);
  }
  return present;
}

/** Adds rows, or changes `seenColumns` of those that are there. */
async function putAll(inside: Tables, changed: readonly TriageRow[]): Promise<void> {
  for (const row of changed) await inside.table(rows).put(columnsOfRow(row), seenColumns);
}

/** See `TriageRepository.seen`. An adapter may bring faster statements for all submissions, and for all rows. */
export async function noteSeen(
  inside: Tables,
  sightings: readonly Sighting[],
  faster: { holdAll?: typeof holdAll; putAll?: typeof putAll } = {},
): Promise<void> {
  const numbers = sightings.map(({ submission }) => submission);
  const present = await (faster.holdAll ?? holdAll)(inside, numbers);
  const usable = sightings.filter(({ submission }) => present.has(submission));
  if (usable.length === 0) return;
  const sought = usable.flatMap(({ patient, content }) => [idName(patient), contentName(content)]);
  const where = { name: { among: [...new Set(sought)] }, submission: { among: [...present.keys()] } };
  const ids = new Set((await inside.table(names).find({ where })).map(({ row }) => row));
  const known = (await inside.table(rows).find({ where: { id: { among: [...ids] } }, order: ['id'] })).map(rowOf);
  step('matchmaker.triage.read');
  const changed = sighted(known, usable);
  await (faster.putAll ?? putAll)(inside, changed);
  step('matchmaker.triage.written');
  const changedIds = new Set(changed.map(({ id }) => id));
  const before = new Map(
    known
      .filter(({ id }) => changedIds.has(id))
      .flatMap((row) => namesOfRow(row).map((name) => [keyOfName(name), name])),
  );
  const after = new Map(changed.flatMap((row) => namesOfRow(row).map((name) => [keyOfName(name), name])));
  for (const [key, name] of before) if (!after.has(key)) await inside.table(names).remove(name);
  await inside.table(names).append([...after].flatMap(([key, name]) => (before.has(key) ? [] : name)));
}

async function remove(inside: Tables, where: Conditions<CounterpartRow>): Promise<number> {
  const ids = (await inside.table(rows).lock(where, { without })).map(({ id }) => id);
  await inside.table(names).remove({ row: { among: ids } });
  return inside.table(rows).remove({ id: { among: ids } });
}

async function rowsAbout(moment: Tables, patient: string, nodes?: readonly string[]): Promise<CounterpartRow[]> {
  const where = { name: idName(patient), ...(nodes && { node: { among: nodes } }) };
  const ids = new Set((await moment.table(names).find({ where })).map(({ row }) => row));
  return moment.table(rows).find({ where: { id: { among: [...ids] } }, order: ['id'] });
}

type SubmissionOrder = Pick<TriageSummary, 'last' | 'submission'>;

/** The one last seen first; of the same time, the greater number. */
function order(one: SubmissionOrder, other: SubmissionOrder): number {
  return other.last.getTime() - one.last.getTime() || other.submission - one.submission;
}

async function summaryOf(moment: Tables, submission: number, person: string) {
  const visit = await moment.table(visits).one({ submission, person });
  const own = await moment.table(rows).find({ where: { submission }, without });
  const statuses: TriageSummary['statuses'] = {};
  for (const status of own.map((row) => row.status as TriageWork['status']))
    statuses[status] = (statuses[status] ?? 0) + 1;
  const unseen = own.filter(({ firstSeen }) => visit === undefined || firstSeen > visit.at).length;
  const last = Math.max(...own.map(({ lastSeen }) => lastSeen.getTime()));
  return { submission, ...(own.length > 0 && { last: new Date(last) }), statuses, unseen };
}

export const store = defineStore<TriageRepository>({
  contract: matchmakerTriage,
  tables: [submissions, rows, names, visits],
  steps: {
    '001-triage': {
      tables: [submissions, rows, names, visits],
      sql: {
        up: ['create index matchmaker_triage_of_owner on matchmaker_triage_rows (owner, submission, last_seen)'],
        down: [],
        lays: [['owner', 'submission', 'lastSeen']],
      },
    },
  },
  repository: (tables) => ({
    seen: (sightings) => tables.transaction((inside) => noteSeen(inside, sightings)),

    async row(id) {
      const row = await tables.table(rows).one({ id });
      return row && rowOf(row);
    },

    async rows(submission) {
      const found = await tables.table(rows).find({ where: { submission }, order: ['id'] });
      return found.map(rowOf).sort((one, other) => other.lastSeen.getTime() - one.lastSeen.getTime());
    },

    rowsAbout: (patient, nodes) =>
      tables.snapshot(async (moment) => (await rowsAbout(moment, patient, nodes)).map(rowOf)),

    submissions: ({ owners, text = '', status, assignee, node, since, after, limit }, person) =>
      tables.snapshot(async (moment) => {
        const where = {
          ...(owners && { owner: { among: owners } }),
          ...(status && { status }),
          ...(assignee !== undefined && { assignee }),
          ...(node !== undefined && { node }),
          ...(since && { lastSeen: { atLeast: since } }),
        };
        const found = new Map<number, SubmissionOrder & { owner: string }>();
        for (const row of await moment.table(rows).find({ where, without })) {
          const { submission, owner, lastSeen: last } = row;
          if (!row.text.includes(text.toLowerCase())) continue;
          const known = found.get(submission);
          if (!known || known.last < last) found.set(submission, { submission, owner, last });
        }
        const page = [...found.values()]
          .sort(order)
          .filter((one) => after === undefined || order(after, one) < 0)
          .slice(0, limit);
        return Promise.all(page.map(async (one) => ({ ...(await summaryOf(moment, one.submission, person)), ...one })));
      }),

    summaries: (wanted, person) =>
      tables.snapshot((moment) => Promise.all([...new Set(wanted)].map((one) => summaryOf(moment, one, person)))),

    async change(id, revision, work) {
      const { status, assignee = absent } = work;
      const noted = { status, work: plain(work), revision: revision + 1 };
      return (await tables.table(rows).change({ id, revision }, { ...noted, assignee })) > 0;
    },

    note: (submission, entry) =>
      tables.transaction(async (inside) => {
        const { gone, history } = await hold(inside, submission);
        if (gone) return false;
        await inside.table(submissions).change({ number: submission }, { history: [...history, plain(entry)] });
        return true;
      }),

    async notes(submission) {
      const { history = [] } = (await tables.table(submissions).one({ number: submission })) ?? {};
      return revived({ history }, 'history').history;
    },

    visit: (person, submission, at) =>
      tables.transaction(async (inside) => {
        // The first look begins a visit that nothing was before.
        const known = await inside.table(visits).put({ submission, person, at }, []);
        const visit = visitAt(known, at);
        await inside.table(visits).put({ submission, person, ...visit });
        return visit.since;
      }),

    forget: ({ submission, patient, nodes }) =>
      tables.transaction(async (inside) => {
        const about = patient === undefined ? [] : await rowsAbout(inside, patient, nodes);
        const own = submission === undefined ? [] : [submission];
        await holdAll(inside, [...own, ...about.map((row) => row.submission)]);
        const removed = await remove(inside, { id: { among: about.map(({ id }) => id) } });
        if (submission === undefined) return removed;
        await inside.table(submissions).change({ number: submission }, { gone: true, history: [] });
        await inside.table(visits).remove({ submission });
        return removed + (await remove(inside, { submission }));
      }),

    async expire(before) {
      const old = { revision: 1, lastSeen: { below: before } };
      for (let removed = 0; ; ) {
        const portion = await tables.transaction(async (inside) => {
          const found = await inside.table(rows).find({ where: old, without, order: ['id'], limit: expiredAtOnce });
          const numbers = found.map(({ submission }) => submission);
          await holdAll(inside, numbers);
          return remove(inside, { ...old, id: { among: found.map(({ id }) => id) } });
        });
        removed += portion;
        if (portion === 0) return removed;
      }
    },
  }),
});
