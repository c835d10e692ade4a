/** matchmaker-matches@1: records of searches, for those who searched and for the submitters of the patients found. */
import { type Contract, defineContract, type ReadOptions } from '../../../core/storage.js';
import type { Patient } from '../patients/patient.js';

/** A patient that a search found. */
export interface MatchedPatient {
  patient: Patient;
  /** `patient` is the score; other members explain it. */
  score: { patient: number; [explanation: string]: unknown };
}

export interface NodeName {
  id: string;
  label: string;
}

/** How records and notifications name this node. */
export const thisNode = { id: 'trefoil', label: 'This server' } as const satisfies NodeName;

/** What one node found; it may be this node. */
export interface NodeResult {
  node: NodeName;
  patients: MatchedPatient[];
}

/** One search that found at least one patient, or had errors. */
export interface MatchRecord {
  /** A random UUID. */
  id: string;
  created: Date;
  /** `internal`: on this node. `external`: on other nodes. */
  type: 'internal' | 'external';
  /** `incoming`: a client or node searched here. `outgoing`: this node searched others. */
  direction: 'incoming' | 'outgoing';
  /** The client's id. */
  asker: string;
  /** Number of the query patient if it is stored here. */
  number?: number;
  /** The query. */
  patient: Patient;
  results: NodeResult[];
  errors: { node: NodeName; error: string }[];
  /** How many patients of this node share a gene with the query and were left out by the limit; absent if none. */
  alsoSharing?: number;
}

/** A search to be recorded. */
export interface NewMatch extends MatchRecord {
  /** Keys of the matching genes, as in PatientFacts. */
  matchedGenes: readonly string[];
  /** Only one record is kept of searches with the same key; see `add`. */
  key?: string;
}

/** The query of a record. */
export interface KeptQuery {
  /** The record's number, as in its cursor. */
  number: number;
  asker: string;
  /** Number of the patient if it is stored here. */
  stored?: number;
  patient: Patient;
  /** If asked for: the searches that found a certain patient, the newest record first. */
  findings?: readonly QueryFinding[];
}

export interface QueryFinding {
  /** The record's number. */
  record: number;
  /** As it was found. */
  patient: Patient;
}

/** Where a page of records ended. */
export interface MatchCursor {
  /** Of the last record on the page. */
  created: Date;
  /** Distinguishes records of the same time: one that was added later has a greater number. */
  number: number;
}

export interface MatchPage extends ReadOptions {
  /** Records in which the patient of this id was the query, or was found. */
  patient: string;
  /** Only searches of this asker; of all if omitted. */
  asker?: string;
  /** Only records that come after this cursor, also if its record is deleted. */
  after?: MatchCursor;
  limit: number;
}

/** Selects queries of one patient: other clients may use the same id for another one. */
export type QueriesOf =
  /** Queries of the asker, and those of all askers with the number. */
  | { asker: string; number?: number }
  /** Queries of all patients that are or were stored here (with a number, or outgoing), and those of the asker. */
  | { stored: true; asker?: string }
  /** Queries of the asker without those of patients that are or were stored here. */
  | { stored: false; asker: string };

/** Counts of searches since the store was made. Deleted records stay counted. */
export interface MatchCounts {
  /** Searches on this node. */
  requests: number;
  /** Patients that were returned. */
  sent: number;
  /** Distinct matching genes. */
  uniqueGenes: number;
}

export interface MatchRepository {
  /**
   * Adds all of the searches, or none; one that is named later counts as added later. Counts a search without a key: those
   * with one were not requested by a client. Keeps its record if it found a patient or had an error; searches that found
   * nothing leave no trace but their count. A record with a key replaces the one with the same key, unless that one found
   * patients and this one did not. A found patient stays as it was found: it may be stored once for all records that found it
   * in the same form on the same node, and must not be changed after the call.
   */
  add(...matches: readonly NewMatch[]): Promise<void>;
  /**
   * Records of a patient that found one, newest first; of the same time, the one added later first. `next` is the cursor of
   * the last one if there are more.
   */
  matches(page: MatchPage): Promise<{ records: MatchRecord[]; next?: MatchCursor }>;
  /** Deletes the records in which the patient was the query, or only these; returns how many. */
  removeQueries(patient: string, only?: QueriesOf): Promise<number>;
  /**
   * Removes a patient from the results of all records, or only from what one node found: another node's patient of the same
   * id is another patient. Records that then have neither a patient nor an error are deleted. Returns how many were changed
   * or deleted.
   */
  scrub(patient: string, node?: string): Promise<number>;
  /** Whether there is any record of an incoming search without a key. */
  asked(): Promise<boolean>;
  /** Numbers of the latest records of incoming searches without a key, one for each asker and patient. */
  latestQueries(): Promise<number[]>;
  /**
   * The queries of these records, in any order; numbers without a record are ignored. With the id of a patient, each has as
   * `findings` all records of searches on this node, by the same asker and with a query of the same id, that found the patient.
   */
  queries(numbers: readonly number[], found?: string): Promise<KeptQuery[]>;
  /**
   * Deletes records made before the time; returns how many. Also deletes what was stored once for several records and is part
   * of none by now: at the latest a few days after the last of them was deleted.
   */
  expire(before: Date): Promise<number>;
  counts(): Promise<MatchCounts>;
}

export const matchmakerMatches: Contract<MatchRepository> = defineContract<MatchRepository>('matchmaker-matches@1', {
  add: 'needed',
  matches: 'needed',
  removeQueries: 'needed',
  scrub: 'needed',
  asked: 'needed',
  latestQueries: 'needed',
  queries: 'needed',
  expire: 'needed',
  counts: 'needed',
});

// All records of a patient, page by page.

/** From the cursor of the first page to the last record, newest first. */
export async function* recordPages(
  repository: Pick<MatchRepository, 'matches'>,
  first: MatchPage,
): AsyncGenerator<MatchRecord[]> {
  let after: MatchCursor | undefined = first.after;
  do {
    const { records, next } = await repository.matches(after === undefined ? first : { ...first, after });
    if (records.length > 0) yield records;
    after = next;
  } while (after !== undefined);
}
