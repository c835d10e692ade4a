/** matchmaker-mail@1: the outbox of notifications, and which pairs of patients submitters were told of. */
import { type Contract, defineContract } from '../../../core/storage.js';
import type { Contact, Patient } from '../patient/patient.js';

/** A patient that matched, as far as its counterpart's submitter is told. */
export interface ToldMatch {
  /** Where it is kept, or who asked about it. */
  node: { id: string; label: string };
  patient: { id: string; contact: Contact };
  /** 0 to 1, as stated by the node that found it; absent in notices of versions before 0.2. */
  score?: number;
  /** Symbols or ids of the genes that both have. */
  genes: string[];
  /** Phenotype terms that both have, the most informative first: `HP:0001250 Seizure`. */
  terms: string[];
  /** The whole patient, if notifications are complete. */
  complete?: { patient: Patient };
}

/** A match that is to be told, unless its pair was. */
export interface NewToldMatch extends ToldMatch {
  /** A digest that stands for the two patients by their content, whatever their ids. */
  pair: string;
}

/** What the submitter of one patient is to be told. */
export interface Notice {
  /** A random UUID; the mail's Message-ID is made from it, so that it stays the same when it is sent again. */
  id: string;
  created: Date;
  /** Not to be sent before. */
  due: Date;
  /** The search that found the matches: its notices to the same addresses go in one mail. */
  search: string;
  /** E-mail addresses. */
  to: string[];
  /** The submitter's own. */
  patient: { id: string; label?: string };
  matches: ToldMatch[];
  /** How often it could not be sent. */
  failures: number;
}

export interface NewNotice extends Omit<Notice, 'failures' | 'matches'> {
  matches: NewToldMatch[];
}

/** Selects one of several patients that have the same id on different nodes. */
export interface NoticesOf {
  /** Whether notices to its own submitter go. */
  own: boolean;
  /** Where it was found, or who asked about it: the `node` of a match. */
  nodes: readonly string[];
}

export interface MailRepository {
  /**
   * Puts notices into the outbox, without the matches that were told before; a notice that has none left is not added.
   * Returns whether any was added. A match was told before if the same patient's submitter was told of the same id at the
   * same node, or if its `pair` is known, under whatever ids. Of several calls at the same time, and of several notices
   * of one call, one alone tells a match: within a call it is the first notice.
   */
  add(notices: readonly NewNotice[]): Promise<boolean>;
  /** Those that are due, oldest first. */
  due(now: Date, limit: number): Promise<Notice[]>;
  /** The search is over: its notices are due at the time, if they were to wait longer. */
  release(search: string, due: Date): Promise<void>;
  /** Takes notices out: they were sent. */
  sent(ids: readonly string[]): Promise<void>;
  /** Puts notices off. */
  failed(ids: readonly string[], reason: string, retryAt: Date): Promise<void>;
  /** Notices in the outbox, and those among them that failed at least once. */
  waiting(): Promise<{ waiting: number; failing: number }>;
  /**
   * Deletes a patient's notices, its part of those that name it as a match, and every trace of its id: only of one
   * patient of this id, if named. Its pairs stay known, by their digests alone, so that nobody is told again when the
   * patient comes back under another id.
   */
  forget(patient: string, only?: NoticesOf): Promise<void>;
  /** As `forget`, and its pairs are no longer known either. Those of a patient that was forgotten before stay. */
  erase(patient: string, only?: NoticesOf): Promise<void>;
}

export const matchmakerMail: Contract<MailRepository> = defineContract<MailRepository>('matchmaker-mail@1');
