/** What all routes of triage share: they find the submission and the row that the caller may have, and change the row that was seen. */
import {
  accountOf,
  Fault,
  isFault,
  type PluginContext,
  type Principal,
  type RouteRequest,
} from '../../../core/plugin.js';
import {
  type KnownNode,
  matchmakerTriage,
  type StoredPatient,
  type TriageEntry,
  type TriageRow,
  type TriageWork,
} from '../contract.js';
import { type Accesses, type Reach, reaches } from '../http/access.js';
import type { MatchmakerServices, Triage } from '../services.js';
import type { CountsService, CoveredSamplesService, LocalFindings, LocalRequest } from './local/finding.js';

export type Use = Accesses['pages']['read'];

type CallerRequest = Pick<RouteRequest<unknown, unknown, unknown, Use['access']>, 'principal' | 'id'>;

/** The caller of a request, and whose submissions it may use. */
export interface Caller extends Reach {
  principal: Principal;
  /** Under which visits are kept. */
  person: string;
}

export interface Desk extends Omit<MatchmakerServices, 'triage'> {
  triage: Triage;
  callerOf(use: Use, request: CallerRequest): Promise<Caller>;
  /** Whether the caller may use the submission in this way, too. */
  mayUse(use: Use, request: CallerRequest, submission: StoredPatient): Promise<boolean>;
  /** The stored patient; one that the caller may not use is answered like one that does not exist. */
  submission(caller: Caller, number: number): Promise<StoredPatient>;
  /** A row of the submission, which the caller may use. */
  row(submission: StoredPatient, id: string): Promise<TriageRow>;
  /** The connected nodes, by id: also those that are not queried any more. */
  peers(): Promise<ReadonlyMap<string, KnownNode>>;
  /** What the other plugins of this server know about the variants of the rows, as far as the caller may know it. */
  local(request: LocalRequest, submission: StoredPatient, rows: readonly TriageRow[]): Promise<LocalFindings>;
  /** Replaces what is noted about the row that was seen, and adds the entries. */
  change(changed: Changed): Promise<TriageRow>;
}

export interface Changed {
  caller: Caller;
  submission: StoredPatient;
  row: TriageRow;
  work: Omit<TriageWork, 'history'>;
  entries: readonly TriageEntry[];
}

/** Entries of one row. */
const mostEntries = 1000;

export function deskOf(services: MatchmakerServices, triage: Triage, find: PluginContext<unknown>['find']): Desk {
  const { patients, trail, log } = services;

  return {
    ...services,
    triage,

    async callerOf(use, { principal, id }) {
      return { ...(await use.reachOf({ principal, id })), principal, person: accountOf(principal) };
    },

    async mayUse(use, { principal, id }, submission) {
      return use.reachOf({ principal, id }).then(
        (reach) => reaches(reach, submission),
        (error: unknown) => {
          if (!isFault(error) || error.code !== 'forbidden') throw error;
          return false;
        },
      );
    },

    async submission(caller, number) {
      // Of the caller's own alone: one of another owner takes no longer than one that does not exist.
      const owned = (owner: string) => patients.patients({ owner, after: number - 1, limit: 1 });
      const found = await (caller.all ? patients.patientsByNumber([number]) : Promise.all(caller.owners.map(owned)));
      const stored = found.flat().find((one) => one.number === number);
      if (!stored) throw new Fault('not-found', 'There is no such submission');
      return stored;
    },

    async row({ number }, id) {
      const row = await triage.repository.row(id);
      if (row?.submission !== number) throw new Fault('not-found', 'The submission has no such row');
      return row;
    },

    peers: async () => new Map((await services.nodes.nodes()).map((node) => [node.id, node])),

    async local(request, submission, rows) {
      const coverage = find<CoveredSamplesService>('coverage/covered-samples@1');
      const beacon = find<CountsService>('beacon/counts@1');
      if (coverage === undefined && beacon === undefined) return new Map();
      const { findLocally } = await import('./local/findings.js');
      const tools = { coverage, beacon, patients, log, settings: triage.settings, resources: services.resources() };
      return findLocally(tools, request, submission, rows);
    },

    async change({ caller, submission, row, work, entries }) {
      const history = [...row.work.history, ...entries];
      if (history.length > mostEntries) {
        throw new Fault('conflict', `The row has ${mostEntries} entries in its history, and takes no more`);
      }
      const after: TriageWork = { ...work, history };
      await trail.transaction(async (scope) => {
        if (!(await scope.repository(matchmakerTriage).change(row.id, row.revision, after))) throw changedSince();
        await scope.trace([{ by: caller.by, action: 'work', patients: [submission.patient.id] }]);
      });
      return { ...row, revision: row.revision + 1, work: after };
    },
  };
}

export function changedSince(): Fault {
  return new Fault('conflict', 'The row was changed since it was read: read it again, then repeat the change');
}

/** The beginning of an entry by the caller. */
export function byOf({ principal }: Caller, at: Date): Pick<TriageEntry, 'at' | 'by' | 'name'> {
  const name = principal.kind === 'subject' ? principal.name : undefined;
  return { at, by: principal.owner, ...(name !== undefined && { name }) };
}

/** What people call themselves, as assignees are named. */
export function nameOf({ by, name }: Pick<TriageEntry, 'by' | 'name'>): string {
  return name ?? by;
}

export const submissionsPath = '/matchmaker/submissions';

export function submissionPath(number: number): string {
  return `${submissionsPath}/${number}`;
}

export function rowPath({ submission, id }: { submission: number; id: string }): string {
  return `${submissionPath(submission)}/rows/${id}`;
}
