/** matchmaker@1: patients, who may change them, and the order in which they changed. */
import { type Contract, defineContract, Fault } from '../../core/storage.js';
import type { PatientFacts } from './patient/facts.js';
import type { Contact, Patient } from './patient/patient.js';

export * from './audit/contract.js';
export * from './mail/contract.js';
export * from './matches/contract.js';
export * from './nodes/contract.js';
export type { PatientFacts } from './patient/facts.js';
export * from './patient/patient.js';
export { hasId, isFacts, isPatient, isRecord } from './patient/shape.js';
export {
  matchmakerResources,
  type ResourceKind,
  type ResourceRelease,
  type ResourceRepository,
  resourceKinds,
  type StoredResource,
} from './resources/contract.js';

/** A patient as it lies in the store. */
export interface StoredPatient {
  /** Stands for the patient in indexes and cursors; given out once, ascending from 1, and never again. */
  number: number;
  /** Counts the changes of this patient, from 1. A patient that is deleted and added anew has another number. */
  version: number;
  /** Who added it: the client's id. */
  owner: string;
  created: Date;
  updated: Date;
  patient: Patient;
}

/** Who writes. Without `all`, only patients of the owner itself can be changed. */
export interface Writer {
  owner: string;
  /** May change the patients of all owners; a patient keeps its owner. */
  all: boolean;
}

export interface PatientSave {
  patient: Patient;
  /** What is counted of it. */
  facts: PatientFacts;
  writer: Writer;
  /** Since when it is stored, or changed. */
  at: Date;
}

export interface Saved {
  outcome: 'inserted' | 'updated' | 'unchanged';
  stored: StoredPatient;
}

/** Not saved: the patient of this id belongs to another owner, and the writer may not change all. */
export interface Foreign {
  outcome: 'foreign';
}

/** Whether the patient is another owner's, and the writer has no say over those of all. */
export function isForeign({ owner }: Pick<StoredPatient, 'owner'>, writer: Writer): boolean {
  return !writer.all && owner !== writer.owner;
}

/** What a writer is told of such a patient. */
export function foreignPatient(): Fault {
  return new Fault('forbidden', 'There is a patient of this id that belongs to another owner');
}

/** Some of what changed, oldest change first. */
export interface Changes {
  /** The revision to ask from next time: all that is older than it was handed on. */
  revision: number;
  /** Added or changed, as they are now. */
  saved: StoredPatient[];
  /** Numbers of patients that are gone. The reader may never have seen them. */
  removed: number[];
}

export interface PatientPage {
  /** Only of this owner. */
  owner?: string;
  /** Only with exactly this label. */
  label?: string;
  /** Only patients of a greater number. */
  after?: number;
  limit: number;
}

/** How often something was stated, and how many different things. */
export interface Tally {
  total: number;
  unique: number;
}

/** The store in numbers (mme-apis, metrics-api.md). */
export interface PatientCounts {
  cases: number;
  diagnosed: number;
  submitters: number;
  genes: Tally;
  variants: Tally;
  features: Tally;
  /** Different sets of features, empty ones left out. */
  featureSets: number;
}

/** A system that may call us. Its tokens are the core's; this is what an operator says of it. */
export interface Client {
  id: string;
  /** Its address, as given. */
  url?: string;
  contact?: string;
  created: Date;
}

/**
 * A stored patient that cannot be read (its row was damaged) is left out of whatever is returned, and counts as removed
 * in `changesSince`; by its id it can still be replaced and removed.
 */
export interface MatchmakerRepository {
  /**
   * Adds each patient, or replaces the one of the same id: all together, and what became of each in their order. One of
   * another owner is `foreign` and stays as it is, which keeps none of the others from being saved. A patient that equals
   * the stored one (whatever the order of its keys) is `unchanged`, and so is its version. Of several who save one id at
   * once, each sees the state that another left. A thousand patients at most, and no id twice.
   */
  savePatients(saves: readonly PatientSave[]): Promise<(Saved | Foreign)[]>;
  /**
   * Takes the patient out, with all that was kept to count and find it; what it was, or undefined where there is none.
   * A `forbidden` fault where it belongs to another owner and the writer may not change all.
   */
  removePatient(id: string, writer: Writer): Promise<StoredPatient | undefined>;
  patient(id: string): Promise<StoredPatient | undefined>;
  /**
   * The patient of the number. Inside a transaction nobody changes or removes it until the end: what is written about it
   * meanwhile is there for whoever removes it.
   */
  held(number: number): Promise<StoredPatient | undefined>;
  /** Those of the ids that there are, in no order; any number of ids. */
  patientsById(ids: readonly string[]): Promise<StoredPatient[]>;
  /** Those of the numbers that there are, in no order; any number of numbers. */
  patientsByNumber(numbers: readonly number[]): Promise<StoredPatient[]>;
  /** By number, ascending. */
  patients(page: PatientPage): Promise<StoredPatient[]>;
  /**
   * Everything that changed after the revision (0: everything there is), in batches of at most a thousand, up to the
   * state at the time of asking. Revisions are trustworthy whoever writes: what was committed before the call is in the
   * answer, and nothing ever appears at or below a revision that was handed out. Answers no batch where nothing
   * changed, for the price of one look. A `conflict` fault where the store has not come as far as the revision: an older
   * state of it was restored, and the reader has to start anew. Not to be used inside a transaction.
   */
  changesSince(revision: number): AsyncIterable<Changes>;
  /** Exact, in constant time but for what was written since the last call. Not to be used inside a transaction. */
  counts(): Promise<PatientCounts>;
  /** The same counted anew from what is stored; equal to `counts` unless something is broken. */
  recount(): Promise<PatientCounts>;
  /**
   * Replaces what is counted of patients, for when it is to be understood anew (a new table of genes). One whose version
   * has passed on, or that is gone, is left alone. Answers how many were replaced; they show up in changesSince.
   */
  replaceFacts(patients: readonly { number: number; version: number; facts: PatientFacts }[]): Promise<number>;
  /** The contact addresses in use and how many patients have each, by address. */
  contacts(): Promise<{ href: string; patients: number }[]>;
  /** Gives every patient with this contact address another contact; answers how many. All at once or not at all. */
  replaceContact(href: string, contact: Contact, submitter: string, now: Date): Promise<number>;

  /** A `conflict` fault where the id exists. */
  addClient(client: Client): Promise<void>;
  /** By id. */
  clients(): Promise<Client[]>;
  /** False where there is none of this id. */
  removeClient(id: string): Promise<boolean>;
}

export const matchmaker: Contract<MatchmakerRepository> = defineContract<MatchmakerRepository>('matchmaker@1');
