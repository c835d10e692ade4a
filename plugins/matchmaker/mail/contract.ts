/** matchmaker-mail@1: the outbox of notifications, and the pairs of patients that submitters were notified of. */
import { type Contract, defineContract } from '../../../core/storage.js';
import type { Contact, Patient, Purpose } from '../patients/patient.js';

/** A matched patient, as far as it is reported to the submitter of its counterpart. */
export interface ReportedMatch {
  /** The node that stores it, or the client that queried with it. */
  node: { id: string; label: string };
  patient: { id: string; contact: Contact };
  /** 0 to 1, as stated by the node that found it; absent in notices of versions before 0.2. */
  score?: number;
  /** How many percent of so many random pairs in that node have a lower score, if it said so. */
  reading?: { higherThan: number; pairs: number };
  /** Symbols or ids of the genes that both have. */
  genes: string[];
  /** Phenotype terms that both have, the most informative first: `HP:0001250 Seizure`. */
  terms: string[];
  /** What the matched patient states of inheritance in these genes: `SCN1A: Autosomal dominant inheritance (HP:0000006), de novo`. */
  inheritance?: string[];
  /** Why the matched patient is compared, if that is stated. */
  purpose?: Purpose;
  /** If the search found more patients with the gene than it may return, the reader's among them. */
  leftOut?: { patients: number; yours: string[] };
  /** The whole patient, if notifications are complete. */
  complete?: { patient: Patient };
}

/** A match to report, unless its pair was reported before. */
export interface NewReportedMatch extends ReportedMatch {
  /** A digest of the content of both patients, independent of their ids. */
  pair: string;
}

/** Matches to report to the submitter of one patient. */
export interface Notice {
  /** A random UUID; the mail's Message-ID is made from it, so that it stays the same when it is sent again. */
  id: string;
  created: Date;
  /** Earliest time of sending. */
  due: Date;
  /** The search that found the matches: its notices to the same addresses go in one mail. */
  search: string;
  /** E-mail addresses. */
  to: string[];
  /** The submitter's own patient. */
  patient: { id: string; label?: string };
  matches: ReportedMatch[];
  /** Failed attempts to send it. */
  failures: number;
}

export interface NewNotice extends Omit<Notice, 'failures' | 'matches'> {
  matches: NewReportedMatch[];
}

/** Selects one of several patients with the same id on different nodes. */
export interface NoticesOf {
  /** Whether notices to its own submitter are deleted. */
  own: boolean;
  /** Names of nodes that found it and of clients that queried with it: the `node` of a match. */
  nodes: readonly string[];
}

export interface MailRepository {
  /**
   * Adds notices to the outbox, without matches that were reported before; a notice without any match left is not added.
   * Returns whether any was added. A match was reported before if the same patient's submitter was notified of the same id
   * at the same node, or if its `pair` is known, under any ids. Among concurrent calls, and among the notices of one call,
   * only one reports a match: within a call, the first notice. Throws a `conflict` fault, and adds nothing, if a notice with
   * one of the ids waits.
   */
  add(notices: readonly NewNotice[]): Promise<boolean>;
  /** Notices that are due, oldest first. */
  due(now: Date, limit: number): Promise<Notice[]>;
  /** Ends the search: its notices become due at the time, unless they are due earlier. */
  release(search: string, due: Date): Promise<void>;
  /** Removes notices that were sent. */
  sent(ids: readonly string[]): Promise<void>;
  /** Postpones notices that could not be sent. */
  failed(ids: readonly string[], reason: string, retryAt: Date): Promise<void>;
  /** The number of notices in the outbox, and of those that failed at least once. */
  waiting(): Promise<{ waiting: number; failing: number }>;
  /**
   * Deletes a patient's notices, its part of notices that name it as a match, and every trace of its id; if `only` is given,
   * those of the selected patient with this id. Its pairs stay known, by their digests alone, so that no submitter is
   * notified again if the patient returns under another id.
   */
  forget(patient: string, only?: NoticesOf): Promise<void>;
  /** As `forget`, and deletes its pairs too. Pairs of a patient that was forgotten before stay. */
  erase(patient: string, only?: NoticesOf): Promise<void>;
}

export const matchmakerMail: Contract<MailRepository> = defineContract<MailRepository>('matchmaker-mail@1', {
  add: 'needed',
  due: 'needed',
  release: 'needed',
  sent: 'needed',
  failed: 'needed',
  waiting: 'needed',
  forget: 'needed',
  erase: 'needed',
});
