/** matchmaker-mail@1: the outbox of notifications, and of which matches somebody was told already. */
import { type Contract, defineContract } from '../../../core/storage.js';
import type { Contact, Patient } from '../patient/patient.js';

/** A patient that matched, as far as its counterpart's submitter is told. */
export interface ToldMatch {
  /** Where it is kept, or who asked about it. */
  node: { id: string; label: string };
  patient: { id: string; contact: Contact };
  /** Symbols or ids of the genes that both have. */
  genes: string[];
  /** Everything about it, where notifications are complete. */
  complete?: { patient: Patient; score: number };
}

/** What the submitter of one patient is to be told. */
export interface Notice {
  /** A random UUID; the mail's Message-ID is made from it, so that it stays the same when it is sent again. */
  id: string;
  created: Date;
  /** Not to be sent before. */
  due: Date;
  /** E-mail addresses. */
  to: string[];
  /** The submitter's own. */
  patient: { id: string; label?: string };
  matches: ToldMatch[];
  /** How often it could not be sent. */
  failures: number;
}

export type NewNotice = Omit<Notice, 'failures'>;

/** Of what there is about patients with one id, that of one: others may use the same id for another patient. */
export interface NoticesOf {
  /** Whether notices to its own submitter go. */
  own: boolean;
  /** Where it was found, or who asked about it: the `node` of a match. */
  nodes: readonly string[];
}

export interface MailRepository {
  /**
   * Puts a notice into the outbox, less the matches that the patient's submitter was told of before. False where none is
   * left: then nothing is added.
   */
  add(notice: NewNotice): Promise<boolean>;
  /** Those that are due, oldest first. */
  due(now: Date, limit: number): Promise<Notice[]>;
  /** Takes notices out: they were sent. */
  sent(ids: readonly string[]): Promise<void>;
  /** Puts notices off. */
  failed(ids: readonly string[], reason: string, retryAt: Date): Promise<void>;
  /** Notices in the outbox, and those among them that failed at least once. */
  waiting(): Promise<{ waiting: number; failing: number }>;
  /**
   * Deletes what there is about a patient: its notices, its part of those that name it as a match, and what was told.
   * Only of one patient of this id, where named.
   */
  forget(patient: string, only?: NoticesOf): Promise<void>;
}

export const matchmakerMail: Contract<MailRepository> = defineContract<MailRepository>('matchmaker-mail@1');
