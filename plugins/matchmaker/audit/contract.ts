/** matchmaker-audit@1: who saw what, and who changed what. */
import { type Contract, defineContract } from '../../../core/storage.js';

export const auditActions = [
  'add', // added or changed the patient
  'delete',
  'erase', // took out all that there was about it
  'match', // was answered the patient
  'send', // was sent the patient as a question
  'receive', // answered us the patient
  'read', // read it, or the records of its matches
] as const;
export type AuditAction = (typeof auditActions)[number];

export interface AuditEntry {
  at: Date;
  /** A client's id, `cli`, or `node:<id>`. */
  actor: string;
  action: AuditAction;
  /** Id of the patient that was seen or changed. */
  patient: string;
  /** Id of the patient that was asked about, where another one was the answer. */
  query?: string;
}

export interface AuditPage {
  patient?: string;
  actor?: string;
  since?: Date;
  /** Only entries after this cursor. */
  after?: number;
  limit: number;
}

/** Whose patient of an id: that of this node, which its owner may ask about as well, or of a node or client of the name. */
export type AuditedOf = { own: true; owner?: string } | { own: false; name: string };

export interface AuditRepository {
  add(entries: readonly AuditEntry[]): Promise<void>;
  /** Oldest first, with the cursor of each. The patient is the one that was seen or that was asked about. */
  entries(page: AuditPage): Promise<(AuditEntry & { number: number })[]>;
  /**
   * Puts another name in the place of a patient's id, in all entries, or in those about the one that is meant; answers
   * how many. An id is unique on one node only: what a node answered (`receive`) and what a client asked about (the query
   * of a `match`) is of that node or client, all else is of this node.
   */
  rename(patient: string, name: string, of?: AuditedOf): Promise<number>;
  /** Deletes entries older than the time; answers how many. */
  expire(before: Date): Promise<number>;
}

export const matchmakerAudit: Contract<AuditRepository> = defineContract<AuditRepository>('matchmaker-audit@1');
