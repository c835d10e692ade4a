/** matchmaker-matches@1: what searches found, for those who asked and those who were found. */
import { type Contract, defineContract } from '../../../core/storage.js';
import type { Patient } from '../patient/patient.js';

/** A patient that a search found. */
export interface MatchedPatient {
  patient: Patient;
  /** `patient` is the score; further members explain it. */
  score: { patient: number; [explanation: string]: unknown };
}

export interface NodeName {
  id: string;
  label: string;
}

/** What one node found, this node included. */
export interface NodeResult {
  node: NodeName;
  patients: MatchedPatient[];
}

/** One search with at least one patient found, or with errors. */
export interface MatchRecord {
  /** A random UUID. */
  id: string;
  created: Date;
  /** `internal`: on this node. `external`: on other nodes. */
  type: 'internal' | 'external';
  /** `incoming`: somebody asked us. `outgoing`: we asked others. */
  direction: 'incoming' | 'outgoing';
  /** Who asked: the client's id. */
  asker: string;
  /** Number of the query patient where it is stored here. */
  number?: number;
  /** The query. */
  patient: Patient;
  results: NodeResult[];
  errors: { node: NodeName; error: string }[];
}

/** A search as it is noted. */
export interface NewMatch extends MatchRecord {
  /** Keys of the genes that were matched on (those of PatientFacts). */
  matchedGenes: readonly string[];
  /** Of several searches with one key only one record is kept; see `add`. */
  key?: string;
}

/** A patient that somebody asked about, by the record of it. */
export interface KeptQuery {
  /** The record's cursor. */
  number: number;
  asker: string;
  /** Number of the patient if it is stored here. */
  stored?: number;
  patient: Patient;
}

/** Where a page of records ended. */
export interface MatchCursor {
  /** Of the last record on the page. */
  created: Date;
  /** Tells it from others of the same time: a record that was added later has a greater number. */
  number: number;
}

export interface MatchPage {
  /** The patient was the query, or was found. */
  patient: string;
  /** Only searches of this asker; of all if omitted. */
  asker?: string;
  /** Only records that come after this cursor, also if its record is deleted. */
  after?: MatchCursor;
  limit: number;
}

/** Of the queries with one id, those of one patient: others may use the same id for another patient. */
export type QueriesOf =
  /** Those of the asker, and those of all askers with the number. */
  | { asker: string; number?: number }
  /** Those of all patients that are or were stored here (with a number, or outgoing), and those of the asker. */
  | { stored: true; asker?: string }
  /** Those of the asker, less all patients that are or were stored here. */
  | { stored: false; asker: string };

/** Searches in numbers, since the store was made: what is deleted stays counted. */
export interface MatchCounts {
  /** Searches that were asked of this node. */
  requests: number;
  /** Patients that were answered to them. */
  sent: number;
  /** Different genes that they were matched on. */
  uniqueGenes: number;
}

export interface MatchRepository {
  /**
   * Counts a search, unless it has a key: nobody asked for those just then. Keeps its record where it found a patient
   * or ran into an error; searches that found nothing leave no trace but their count. A record with a key takes the
   * place of the one with the same key, unless that one found patients and this one does not.
   */
  add(match: NewMatch): Promise<void>;
  /**
   * Records of a patient that found one, newest first: by time and, of the same time, the one added later first. With the
   * cursor of the last one if there are more.
   */
  matches(page: MatchPage): Promise<{ records: MatchRecord[]; next?: MatchCursor }>;
  /** Deletes the records in which the patient was the query (only these, where named); answers how many. */
  removeQueries(patient: string, only?: QueriesOf): Promise<number>;
  /**
   * Takes a patient out of the results of all records, or of what one node found: another node's patient of the same id
   * is another patient. Records that then hold neither patient nor error are deleted. Answers how many were changed or
   * deleted.
   */
  scrub(patient: string, node?: string): Promise<number>;
  /** Whether there is any record of what others asked us (without a key). */
  asked(): Promise<boolean>;
  /** Cursors of the latest records of what others asked us (without a key), one for each asker and patient. */
  latestQueries(): Promise<number[]>;
  /** Those of the records that there are, in no order. */
  queries(numbers: readonly number[]): Promise<KeptQuery[]>;
  /** Deletes records made before the time; answers how many. */
  expire(before: Date): Promise<number>;
  counts(): Promise<MatchCounts>;
}

export const matchmakerMatches: Contract<MatchRepository> = defineContract<MatchRepository>('matchmaker-matches@1');
