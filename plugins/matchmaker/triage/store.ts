/** matchmaker-triage@1 above tables. A change of the rows of a submission holds the submission. */
import {
  boolean,
  type Conditions,
  defineStore,
  defineTable,
  integer,
  json,
  optional,
  type RowOf,
  type Tables,
  text,
  time,
} from '../../../core/storage.js';
import {
  matchmakerTriage,
  revived,
  type Seen,
  sighted,
  type TriageEntry,
  type TriageRepository,
  type TriageRow,
  type TriageSummary,
  type TriageWork,
  textOf,
  visitAt,
} from './contract.js';

/** Every submission that there ever was; of one that was forgotten only the number stays. */
const submissions = defineTable({
  name: 'matchmaker_triage_submissions',
  columns: { number: integer(), gone: boolean(), history: json<TriageEntry[]>() },
  key: ['number'],
});

const rows = defineTable({
  name: 'matchmaker_triage_rows',
  columns: {
    ...{ id: text(), submission: integer(), owner: text(), node: text(), patient: text() },
    ...{ firstSeen: time(), lastSeen: time(), seen: json<Seen>(), revision: integer(), work: json<TriageWork>() },
  },
  key: ['id'],
  indexes: [['submission'], ['owner'], ['revision', 'lastSeen']],
});

/** What a search changes of a row; the rest is people's. */
const seenColumns = ['node', 'patient', 'lastSeen', 'seen'] as const;

/** The ids that counterparts have or had. */
const names = defineTable({
  name: 'matchmaker_triage_names',
  columns: { row: text(), patient: text() },
  key: ['row', 'patient'],
  indexes: [['patient']],
});

const visits = defineTable({
  name: 'matchmaker_triage_visits',
  columns: { submission: integer(), person: text(), since: optional(time()), at: time() },
  key: ['submission', 'person'],
});

type CounterpartRow = RowOf<typeof rows.columns>;

const without = ['seen', 'work'] as const;

/** As JSON has it: `revived` takes it back. */
const plain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

function rowOf({ seen, work, ...row }: CounterpartRow): TriageRow {
  return { ...revived(seen, 'scores'), ...row, work: revived(work, 'history') };
}

/** Holds submissions in one order; returns the histories of those that were not forgotten. */
async function holdSubmissions(
  inside: Tables,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, TriageEntry[]>> {
  const present = new Map<number, TriageEntry[]>();
  for (const number of [...new Set(numbers)].sort((one, other) => one - other)) {
    const { gone, history } = await inside.table(submissions).put({ number, gone: false, history: [] }, []);
    if (!gone) present.set(number, history);
  }
  return present;
}

async function write(inside: Tables, row: TriageRow): Promise<void> {
  const { id, submission, owner, node, patient, firstSeen, lastSeen, revision, work, ...seen } = row;
  const found = { node, patient, firstSeen, lastSeen, seen: plain(seen) };
  await inside.table(rows).put({ id, submission, owner, ...found, revision, work: plain(work) }, seenColumns);
  await inside.table(names).remove({ row: id });
  await inside.table(names).append([patient, ...row.formerIds].map((each) => ({ row: id, patient: each })));
}

async function remove(inside: Tables, where: Conditions<CounterpartRow>): Promise<number> {
  const ids = (await inside.table(rows).lock(where, { without })).map(({ id }) => id);
  await inside.table(names).remove({ row: { among: ids } });
  return inside.table(rows).remove({ id: { among: ids } });
}

async function rowsAbout(moment: Tables, patient: string, nodes?: readonly string[]): Promise<CounterpartRow[]> {
  const named = (await moment.table(names).find({ where: { patient } })).map(({ row }) => row);
  const where = { id: { among: named }, ...(nodes && { node: { among: nodes } }) };
  return moment.table(rows).find({ where, order: ['id'] });
}

type SubmissionOrder = Pick<TriageSummary, 'last' | 'submission'>;

/** The one last seen first; of the same time, the greater number. */
function order(one: SubmissionOrder, other: SubmissionOrder): number {
  return other.last.getTime() - one.last.getTime() || other.submission - one.submission;
}

const latest = (all: readonly TriageRow[]) => new Date(Math.max(...all.map(({ lastSeen }) => lastSeen.getTime())));

async function summaryOf(moment: Tables, submission: number, person: string) {
  const visit = await moment.table(visits).one({ submission, person });
  const own = (await moment.table(rows).find({ where: { submission } })).map(rowOf);
  const statuses: TriageSummary['statuses'] = {};
  for (const { work } of own) statuses[work.status] = (statuses[work.status] ?? 0) + 1;
  const unseen = own.filter(({ firstSeen }) => visit === undefined || firstSeen > visit.at).length;
  return { submission, ...(own.length > 0 && { last: latest(own) }), statuses, unseen };
}

export const store = defineStore<TriageRepository>({
  contract: matchmakerTriage,
  tables: [submissions, rows, names, visits],
  steps: { '001-triage': { tables: [submissions, rows, names, visits] } },
  repository: (tables) => ({
    seen: (sightings) =>
      tables.transaction(async (inside) => {
        const present = await holdSubmissions(
          inside,
          sightings.map(({ submission }) => submission),
        );
        const known = await inside.table(rows).find({ where: { submission: { among: [...present.keys()] } } });
        const usable = sightings.filter(({ submission }) => present.has(submission));
        for (const row of sighted(known.map(rowOf), usable)) await write(inside, row);
      }),

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
          ...(node !== undefined && { node }),
          ...(since && { lastSeen: { atLeast: since } }),
        };
        const found = new Map<number, SubmissionOrder & { owner: string }>();
        for (const row of (await moment.table(rows).find({ where })).map(rowOf)) {
          const { submission, owner, work, lastSeen: last } = row;
          const isMeant = (status ?? work.status) === work.status && (assignee ?? work.assignee) === work.assignee;
          if (!isMeant || !textOf(row).includes(text.toLowerCase())) continue;
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
      const changes = { revision: revision + 1, work: plain(work) };
      return (await tables.table(rows).change({ id, revision }, changes)) > 0;
    },

    note: (submission, entry) =>
      tables.transaction(async (inside) => {
        const history = (await holdSubmissions(inside, [submission])).get(submission);
        if (history === undefined) return false;
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
        await holdSubmissions(inside, [...own, ...about.map((row) => row.submission)]);
        const removed = await remove(inside, { id: { among: about.map(({ id }) => id) } });
        if (submission === undefined) return removed;
        await inside.table(submissions).change({ number: submission }, { gone: true, history: [] });
        await inside.table(visits).remove({ submission });
        return removed + (await remove(inside, { submission }));
      }),

    expire: (before) =>
      tables.transaction(async (inside) => {
        const old = { revision: 1, lastSeen: { below: before } };
        const found = await inside.table(rows).find({ where: old, without });
        await holdSubmissions(
          inside,
          found.map(({ submission }) => submission),
        );
        return remove(inside, { ...old, id: { among: found.map(({ id }) => id) } });
      }),
  }),
});
