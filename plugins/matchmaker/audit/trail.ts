/**
 * Records who saw and who changed which patients: in the audit of the server if it is configured, otherwise in the
 * matchmaker's own trail. Never in both.
 */
import type { CommandContext } from '../../../core/commands.js';
import type { Actor, AuditEvent, PluginContext, StorageScope } from '../../../core/plugin.js';
import { type AuditAction, type AuditEntry, type AuditRepository, matchmakerAudit } from './contract.js';

/** Who acts, for both records. */
export interface ActingParty {
  /** A client's id, `cli`, or `node:<id>`. */
  readonly owner: string;
  /** The same for the audit, if it is not the owner: who sends the request, or reads a mail. */
  readonly actor?: Actor;
  /** Whether it is the operator of a command, who acts for the owner. */
  readonly isOperator?: boolean;
  /** Why it is allowed, as `policy.why` says. */
  readonly because?: string | undefined;
  /** The request's id. */
  readonly request?: string | undefined;
}

/** What was done to patients, or who saw them. */
export interface Trace {
  by: ActingParty;
  action: AuditAction;
  /** Their ids. Those that a node returned (`receive`) are that node's, all others are of this node. */
  patients: readonly string[];
  /** The query, if `patients` were matches, and whether it is a patient that is stored here. */
  query?: { id: string; isStored: boolean };
  /** Why they are compared, if it is stated. */
  purpose?: string | undefined;
}

/** What only the audit of the server records. */
export interface FurtherTrace {
  by: ActingParty;
  /** `search`: a client had other nodes queried. `mail`: a submitter was notified. */
  action: 'search' | 'mail';
  /** Ids of patients of this node. */
  patients: readonly string[];
  /** Ids of nodes. */
  nodes?: readonly string[];
  detail?: AuditEvent['detail'];
}

/** Within a transaction, with whose changes traces are recorded. */
export interface TracedScope extends StorageScope {
  trace(traces: readonly Trace[]): Promise<void>;
  /** Notes submissions whose counterparts, or rows in triage, change: they are announced once it is committed. */
  matched(patients: readonly string[]): void;
}

/** The event `matchmaker/matched@1`: counterparts of submissions with these ids were found, or people worked on their rows. */
export interface SubmissionsMatched {
  readonly patients: readonly string[];
}

export interface Trail {
  /** Whether the audit of the server records all of it. */
  readonly joined: boolean;
  /** Resolves once the traces are durable: call it before patients' data leaves. */
  add(traces: readonly Trace[]): Promise<void>;
  /** The same for what the matchmaker's own trail does not have; without an audit it does nothing. */
  further(trace: FurtherTrace): Promise<void>;
  /** Runs a transaction; its traces are recorded if, and only if, it commits. */
  transaction<Result>(work: (scope: TracedScope) => Promise<Result>): Promise<Result>;
}

interface TrailOptions {
  audit: CommandContext['audit'];
  transaction: PluginContext<unknown>['transaction'];
  now(): Date;
  repository(): AuditRepository | Promise<AuditRepository>;
  announce: PluginContext<unknown>['announce'];
}

/** The trail of a server. */
export function trailOfPlugin(
  context: Pick<PluginContext<unknown>, 'audit' | 'transaction' | 'now' | 'repository' | 'announce'>,
): Trail {
  const { audit, transaction, now, announce } = context;
  const server: Actor = { kind: 'operator', owner: 'server' };
  return createTrail({
    audit: {
      enabled: audit.enabled,
      record: (event, by = server) => audit.record(by, event),
      within: (run, work) =>
        audit.within(run, (scope, record) => work(scope, (by = server, event) => record(by, event))),
    },
    ...{ transaction, now, announce },
    repository: () => context.repository(matchmakerAudit),
  });
}

/** The trail of a command, whose operator acts. */
export function trailOfCommand(
  context: Pick<CommandContext, 'audit' | 'transaction' | 'now' | 'repository' | 'announce'>,
): Trail {
  const { audit, transaction, now, announce } = context;
  return createTrail({ audit, transaction, now, announce, repository: () => context.repository(matchmakerAudit) });
}

function createTrail({ audit, transaction, now, repository, announce }: TrailOptions): Trail {
  /** Announces what was noted once the work is committed. */
  async function announcing<Result>(work: (matched: TracedScope['matched']) => Promise<Result>): Promise<Result> {
    const patients = new Set<string>();
    const result = await work((ids) => {
      for (const id of ids) patients.add(id);
    });
    if (patients.size > 0) await announce<SubmissionsMatched>('matchmaker/matched@1', { patients: [...patients] });
    return result;
  }

  if (audit.enabled) {
    return {
      joined: true,
      async add(traces) {
        await Promise.all(traces.map((trace) => audit.record(eventOf(trace), actorOf(trace.by))));
      },
      further: ({ by, action, patients, nodes = [], detail }) =>
        audit.record(
          {
            action: `matchmaker.${action}`,
            about: [...auditedPatients(patients), ...nodes.map((id) => `node:${id}`)],
            ...causeOf(by),
            outcome: 'done',
            ...(detail && { detail }),
          },
          actorOf(by),
        ),
      transaction: (work) =>
        announcing((matched) =>
          audit.within(transaction, (scope, record) =>
            work({
              repository: (contract) => scope.repository(contract),
              async trace(traces) {
                for (const trace of traces) await record(actorOf(trace.by), eventOf(trace));
              },
              matched,
            }),
          ),
        ),
    };
  }
  const rowsOf = (traces: readonly Trace[]) => traces.flatMap((trace) => entriesOf(trace, now()));
  return {
    joined: false,
    add: async (traces) => (await repository()).add(rowsOf(traces)),
    further: async () => {},
    transaction: (work) =>
      announcing((matched) =>
        transaction((scope) =>
          work({
            repository: (contract) => scope.repository(contract),
            trace: (traces) => scope.repository(matchmakerAudit).add(rowsOf(traces)),
            matched,
          }),
        ),
      ),
  };
}

/** Its rows in the matchmaker's own trail. */
function entriesOf({ by, action, patients, query, purpose }: Trace, at: Date): AuditEntry[] {
  const more = { ...(query && { query: query.id }), ...(purpose !== undefined && { purpose }) };
  return patients.map((patient) => ({ at, actor: by.owner, action, patient, ...more }));
}

/**
 * Its event in the audit. Ids are unique on one node only: patients of other nodes, and queries that are not stored here, are
 * counted and not named, since they would be taken for ours.
 */
function eventOf({ by, action, patients, query, purpose }: Trace): AuditEvent {
  const own = action === 'receive' ? [] : patients;
  const queries = query?.isStored ? [query.id] : [];
  return {
    action: `matchmaker.${action}`,
    about: auditedPatients([...own, ...queries]),
    ...causeOf(by),
    outcome: 'done',
    detail: { patients: patients.length, ...(purpose !== undefined && { purpose }) },
  };
}

function causeOf({ because, request }: ActingParty): Pick<AuditEvent, 'because' | 'request'> {
  return { because, ...(request !== undefined && { request }) };
}

function auditedPatients(patients: readonly string[]): string[] {
  return [...new Set(patients)].map((id) => `patient:${id}`);
}

/** Undefined for the operator of a command. */
function actorOf({ actor, owner, isOperator }: ActingParty): Actor | undefined {
  if (actor) return actor;
  if (isOperator) return undefined;
  const [, node] = /^node:(.*)$/s.exec(owner) ?? [];
  return node === undefined ? { kind: 'token', owner } : { kind: 'node', owner: node };
}
