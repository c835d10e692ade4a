/** The record of who asked for whose data: what plugins know of it. */
import type { Caller } from '../policy/caller.js';
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
export type RecordWithin<By> = (by: By, event: AuditEvent) => Promise<void>;

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
