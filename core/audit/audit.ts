/** The record of who asked for whose data: what plugins know of it. */
import type { Caller } from '../policy/caller.js';

/** Who did something: a caller, an operator at the command line, or another server. */
export type Actor =
  | Caller
  | { readonly kind: 'operator'; readonly owner: string }
  | { readonly kind: 'node'; readonly owner: string };

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

/** Without the section `audit` of the configuration nothing is recorded, and `record` resolves at once. */
export interface Audit {
  /** Whether anything is recorded: if not, callers need not find out what an event is about. */
  readonly enabled: boolean;
  /**
   * Records an event, and resolves once it is durable. Call it before an answer with protected data leaves, and let the fault
   * through: it throws an `unavailable` fault if the event cannot be recorded, and the answer must then be withheld.
   */
  record(caller: Actor, event: AuditEvent): Promise<void>;
  /** A digest of a question, for `detail`: equal for equal questions, and unknown to those without the key of the audit. */
  digest(text: string): string;
}

/** The same for commands: the caller is the operator who runs the command. */
export interface CommandAudit {
  readonly enabled: boolean;
  record(event: AuditEvent): Promise<void>;
}

/** Records nothing. */
export const noAudit: Audit & CommandAudit = Object.freeze({
  enabled: false,
  record: async () => {},
  digest: () => '',
});
