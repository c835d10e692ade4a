/** matchmaker-audit@1: who saw and who changed which patients. */
import { type Contract, defineContract } from '../../../core/storage.js';

export const auditActions = [
  'add', // added or changed the patient
  'delete',
  'erase', // erased all data about it
  'match', // received the patient as a match
  'send', // received the patient as a query
  'receive', // returned the patient as a match
  'read', // read the patient, or the records of its matches
  'work', // noted what became of a match, or handed the patient over to another contact
] as const;
export type AuditAction = (typeof auditActions)[number];

export interface AuditEntry {
  at: Date;
  /** A client's id, `cli`, or `node:<id>`. */
  actor: string;
  action: AuditAction;
  /** Id of the patient that was seen or changed. */
  patient: string;
  /** Id of the query patient, if `patient` was a match. */
  query?: string;
  /** Why the query was made (`clinical`, `research`), if that was stated. */
  purpose?: string;
}

export interface AuditPage {
  patient?: string;
  actor?: string;
  since?: Date;
  /** Only entries after this cursor. */
  after?: number;
  limit: number;
}

/** Selects one of several patients with the same id: that of this node, with the queries of its owner, or that of a node or client. */
export type AuditedOf = { own: true; owner?: string } | { own: false; name: string };

export interface AuditRepository {
  add(entries: readonly AuditEntry[]): Promise<void>;
  /** In the order in which they were added, each with its cursor. Selects entries with the patient as `patient` or as `query`. */
  entries(page: AuditPage): Promise<(AuditEntry & { number: number })[]>;
  /**
   * Replaces a patient's id by another name in all entries, or in those about the selected patient; returns how many. An id
   * is unique on one node only: what a node returned (`receive`) and what a client queried (the query of a `match`) belongs
   * to that node or client, all else to this node.
   */
  rename(patient: string, name: string, of?: AuditedOf): Promise<number>;
  /** Deletes entries older than the time; returns how many. */
  expire(before: Date): Promise<number>;
}

export const matchmakerAudit: Contract<AuditRepository> = defineContract<AuditRepository>('matchmaker-audit@1', {
  add: 'needed',
  entries: 'needed',
  rename: 'needed',
  expire: 'needed',
});
