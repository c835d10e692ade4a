/**
 * The record of who asked for whose data, as plugins and commands see it: events, the names that they are about, and who runs a
 * command or a server.
 */
import { userInfo } from 'node:os';
import { Fault } from '../fault.js';
import { anonymous, type Caller, type Policy, type Right } from '../policy/policy.js';
import type { StorageScope } from '../storage.js';

/**
 * Who did something, or saw it: a caller; or, of whom no request tells, the owner of an API token, an operator at the command
 * line, another server, or the reader of a mail, by its address.
 */
export type Actor = Caller | { readonly kind: 'token' | 'operator' | 'node' | 'reader'; readonly owner: string };

/** What a caller asked, of whom, and why it was allowed. It holds no genotypes, no tokens, and no names of people in `detail`. */
export interface AuditEvent {
  /** `plugin.verb`, as in `beacon.query`. */
  readonly action: string;
  /** Whose data it is about, each as `kind:id`: `dataset:cardio`, `sample:ADM1059A1`, `case:F12`, `patient:P7`. */
  readonly about: readonly string[];
  /** Why the caller was allowed to, as `policy.why` says; undefined if refused. */
  readonly because: string | undefined;
  /** What came of it: `answered`, `refused`, or a word of the action's own. */
  readonly outcome: string;
  /** Further facts in few words and numbers, such as `{ face: 'v2', found: true }`. */
  readonly detail?: Readonly<Record<string, string | number | boolean>>;
  /** When it happened; now if omitted. */
  readonly at?: Date;
  /** The id of the request, also in the log and in the response's `X-Request-Id`. */
  readonly request?: string;
}

/** Records an event within a transaction. */
type RecordWithin<By> = (by: By, event: AuditEvent) => Promise<void>;

/** Runs a transaction, as `context.transaction` does. */
export type RunTransaction = <Result>(work: (scope: StorageScope) => Promise<Result>) => Promise<Result>;

/** Without the section `audit` of the configuration nothing is recorded, and `record` resolves at once. */
export interface Audit {
  /** Whether anything is recorded: if not, callers need not find out what an event is about. */
  readonly enabled: boolean;
  /**
   * Records an event, and resolves once it is durable. Call it before an answer with protected data leaves, and let the fault
   * through: it throws an `unavailable` fault if the event cannot be recorded, and the answer must then be withheld.
   */
  record(caller: Actor, event: AuditEvent): Promise<void>;
  /**
   * Runs a transaction that records events beside its changes: each is recorded exactly once if the transaction commits, and
   * not at all otherwise. Resolves once they are in a chain; throws as `record` does if that failed after the commit, and they
   * then follow later.
   */
  within<Result>(
    transaction: RunTransaction,
    work: (scope: StorageScope, record: RecordWithin<Actor>) => Promise<Result>,
  ): Promise<Result>;
  /** A digest of a question, for `detail`: equal for equal questions, and unknown to those without the key of the audit. */
  digest(text: string): string;
}

/** The same for commands, whose caller is the operator who runs the command unless another is named. */
export interface CommandAudit {
  readonly enabled: boolean;
  record(event: AuditEvent, by?: Actor): Promise<void>;
  within<Result>(
    transaction: RunTransaction,
    work: (scope: StorageScope, record: RecordWithin<Actor | undefined>) => Promise<Result>,
  ): Promise<Result>;
}

/** Records nothing. */
export const noAudit: Audit & CommandAudit = Object.freeze({
  enabled: false,
  record: async () => {},
  within: <Result>(
    transaction: RunTransaction,
    work: (scope: StorageScope, record: () => Promise<void>) => Promise<Result>,
  ) => transaction((scope) => work(scope, async () => {})),
  digest: () => '',
});

// What answers to callers, and commands, show of people.

/** Ids by their kind, as in `{ dataset: ['cardio'], case: ['F12', undefined] }`: without those that are undefined or empty. */
export type NamedThings = Readonly<Record<string, readonly (string | undefined)[]>>;

/** A request whose answer shows something. */
export interface RecordedRequest {
  readonly principal?: Caller | undefined;
  readonly id: string;
}

/** What an answer shows. */
export interface Disclosure<Thing> extends Pick<AuditEvent, 'action' | 'detail'> {
  readonly about: NamedThings;
  /** The right by which it is shown, and for which thing; or why it is shown. */
  readonly by: Right<Thing> | string;
  readonly of?: Thing | undefined;
}

/** Records what an answer shows, and resolves once that is durable: the answer leaves after that. Without an audit it does nothing. */
export type Disclose = <Thing>(request: RecordedRequest, disclosed: Disclosure<Thing>) => Promise<void>;

export function disclosing({ audit, policy }: { audit: Audit; policy: Policy }): Disclose {
  return async ({ principal = anonymous, id }, { by, of, about: things, ...event }) => {
    if (!audit.enabled) return;
    const because = typeof by === 'string' ? by : await policy.why(principal, by, of);
    await audit.record(principal, { ...event, about: namesOf(things), because, outcome: 'answered', request: id });
  };
}

/** The same for a command, whose operator may see everything: call it before anything is written. Nothing, if it is about nothing. */
export async function recordShown(
  { audit }: { audit: CommandAudit },
  action: string,
  things: NamedThings,
  detail?: AuditEvent['detail'],
): Promise<void> {
  const about = namesOf(things);
  if (about.length === 0) return;
  await audit.record({ action, about, because: 'command line', outcome: 'done', ...(detail && { detail }) });
}

function namesOf(things: NamedThings): string[] {
  const names = Object.entries(things).flatMap(([kind, ids]) => ids.flatMap((id) => (id ? [`${kind}:${id}`] : [])));
  return [...new Set(names)];
}

// The names that entries are about, and which of them stand under a pseudonym.

/** Kinds of data that are no person: they stand in entries as they are. */
const impersonal = new Set([
  ...['dataset', 'cohort', 'panel', 'gene', 'tenant', 'node', 'list', 'credential'],
  // Of the audit itself: a pseudonym whose name is gone, and what a verification found and an operator accepted.
  ...['forgotten', 'finding'],
]);

/** What an entry is about that says that the name behind a pseudonym was taken out of the audit. */
export function forgottenName(pseudonym: string): string {
  return `forgotten:${pseudonym}`;
}

/** The actor's name in entries: `token:Lab A`, `subject:https://issuer.example sub`, `cli:operator`, `anonymous`. */
export function actorName(actor: Actor): string {
  switch (actor.kind) {
    case 'anonymous':
      return 'anonymous';
    case 'subject':
      return `subject:${actor.issuer ?? '-'} ${actor.owner}`;
    case 'operator':
      return `cli:${actor.owner}`;
    default:
      return `${actor.kind}:${actor.owner}`;
  }
}

/** Whether a name is a person's, so that only a pseudonym may stand for it. */
export function isPersonal(name: string): boolean {
  if (name === 'anonymous') return false;
  return !impersonal.has(name.slice(0, name.indexOf(':')));
}

/** Throws an `internal` fault unless the name reads `kind:id`. */
export function checkName(name: string): void {
  if (/^[a-z]+:./s.test(name)) return;
  throw new Fault('internal', 'What an entry of the audit is about must read kind:id, such as sample:ADM1059A1');
}

/** The callers that an operator may mean by a name: it is complete, or the owner of a token, an account, or a node. */
export function callerNames(name: string): string[] {
  if (name === 'anonymous' || /^(token|subject|cli|node):/.test(name)) return [name];
  return ['token', 'cli', 'node'].map((kind) => `${kind}:${name}`);
}

// Who runs a command, or a server.

/** Who runs this process at the command line. */
export function operator(): { kind: 'operator'; owner: string } {
  return { kind: 'operator', owner: accountName() };
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // In containers the user may have a number and no name.
    return String(process.getuid?.() ?? 'unknown');
  }
}
