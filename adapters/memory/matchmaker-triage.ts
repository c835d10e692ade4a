/** matchmaker-triage@1 in memory. */
import {
  matchmakerTriage,
  sighted,
  type TriageEntry,
  type TriagePage,
  type TriageRepository,
  type TriageRow,
  type TriageStatus,
  textOf,
  visitMinutes,
} from '../../plugins/matchmaker/contract.js';
import { defineBinding } from './binding.js';

interface State {
  rows: Map<string, TriageRow>;
  /** By submission. */
  notes: Map<number, readonly TriageEntry[]>;
  gone: Set<number>;
  /** By person and submission. */
  visits: Map<string, { submission: number; since: Date | undefined; at: Date }>;
}

const visitOf = (person: string, submission: number) => JSON.stringify([person, submission]);

function selects(row: TriageRow, { owners, text, status, assignee, node, since }: TriagePage): boolean {
  return (
    (owners?.includes(row.owner) ?? true) &&
    (text === undefined || textOf(row).includes(text.toLowerCase())) &&
    (status === undefined || row.work.status === status) &&
    (assignee === undefined || row.work.assignee === assignee) &&
    (node === undefined || row.node === node) &&
    (since === undefined || row.lastSeen >= since)
  );
}

function isAbout(row: TriageRow, patient: string, nodes: readonly string[] | undefined): boolean {
  return [row.patient, ...row.formerIds].includes(patient) && (nodes?.includes(row.node) ?? true);
}

const latest = (rows: readonly TriageRow[]) => new Date(Math.max(...rows.map(({ lastSeen }) => lastSeen.getTime())));

function counted({ rows, visits }: State, submission: number, person: string) {
  const own = [...rows.values()].filter((row) => row.submission === submission);
  const seen = visits.get(visitOf(person, submission))?.at;
  const statuses: Partial<Record<TriageStatus, number>> = {};
  for (const { work } of own) statuses[work.status] = (statuses[work.status] ?? 0) + 1;
  const unseen = own.filter(({ firstSeen }) => seen === undefined || firstSeen > seen).length;
  return { submission, ...(own.length > 0 && { last: latest(own) }), statuses, unseen };
}

export default defineBinding<TriageRepository, State>({
  contract: matchmakerTriage,
  empty: () => ({ rows: new Map(), notes: new Map(), gone: new Set(), visits: new Map() }),
  copy: ({ rows, notes, gone, visits }) => ({
    ...{ rows: new Map(rows), notes: new Map(notes), gone: new Set(gone), visits: new Map(visits) },
  }),
  repository: ({ read, write }) => {
    const found = async (wanted: (row: TriageRow) => boolean) => [...(await read()).rows.values()].filter(wanted);
    const removed = (draft: State, wanted: (row: TriageRow) => boolean) =>
      [...draft.rows.values()].filter(wanted).filter(({ id }) => draft.rows.delete(id)).length;

    return {
      seen: (sightings) =>
        write((draft) => {
          const usable = structuredClone(sightings.filter(({ submission }) => !draft.gone.has(submission)));
          for (const row of sighted([...draft.rows.values()], usable)) draft.rows.set(row.id, row);
        }),

      row: async (id) => structuredClone((await read()).rows.get(id)),

      async rows(submission) {
        const rows = await found((row) => row.submission === submission);
        const order = (one: TriageRow, other: TriageRow) =>
          other.lastSeen.getTime() - one.lastSeen.getTime() || (one.id < other.id ? -1 : 1);
        return structuredClone(rows.sort(order));
      },

      async rowsAbout(patient, nodes) {
        const rows = await found((row) => isAbout(row, patient, nodes));
        return structuredClone(rows.sort((one, other) => (one.id < other.id ? -1 : 1)));
      },

      async submissions(page, person) {
        const state = await read();
        const rows = [...state.rows.values()].filter((row) => selects(row, page));
        const { after, limit } = page;
        return [...new Set(rows.map(({ submission }) => submission))]
          .map((submission) => {
            const own = rows.filter((row) => row.submission === submission);
            const { statuses, unseen } = counted(state, submission, person);
            return { submission, owner: own[0]?.owner ?? '', last: latest(own), statuses, unseen };
          })
          .sort((one, other) => other.last.getTime() - one.last.getTime() || other.submission - one.submission)
          .filter(({ last, submission }) => {
            if (after === undefined) return true;
            return last < after.last || (last.getTime() === after.last.getTime() && submission < after.submission);
          })
          .slice(0, limit);
      },

      async summaries(submissions, person) {
        const state = await read();
        return [...new Set(submissions)].map((submission) => counted(state, submission, person));
      },

      change: (id, revision, work) =>
        write((draft) => {
          const row = draft.rows.get(id);
          if (row?.revision !== revision) return false;
          draft.rows.set(id, { ...row, revision: revision + 1, work: structuredClone(work) });
          return true;
        }),

      note: (submission, entry) =>
        write((draft) => {
          if (draft.gone.has(submission)) return false;
          draft.notes.set(submission, [...(draft.notes.get(submission) ?? []), structuredClone(entry)]);
          return true;
        }),

      notes: async (submission) => structuredClone([...((await read()).notes.get(submission) ?? [])]),

      visit: (person, submission, at) =>
        write((draft) => {
          const key = visitOf(person, submission);
          const known = draft.visits.get(key);
          const goesOn = known !== undefined && at.getTime() - known.at.getTime() < visitMinutes * 60_000;
          const since = goesOn ? known.since : known?.at;
          draft.visits.set(key, { submission, since, at });
          return since;
        }),

      forget: ({ submission, patient, nodes }) =>
        write((draft) => {
          if (submission !== undefined) {
            draft.gone.add(submission);
            draft.notes.delete(submission);
            for (const [key, visit] of draft.visits) if (visit.submission === submission) draft.visits.delete(key);
          }
          const about = (row: TriageRow) => patient !== undefined && isAbout(row, patient, nodes);
          return removed(draft, (row) => row.submission === submission || about(row));
        }),

      expire: (before) => write((draft) => removed(draft, (row) => row.revision === 1 && row.lastSeen < before)),
    };
  },
});
