/**
 * matchmaker@1: patients, who may change them, the order in which they changed, and their counts. It also exports the other
 * contracts of the matchmaker.
 */
import { type Contract, defineContract, Fault, type ReadOptions } from '../../core/storage.js';
import type { Contact, Patient, PatientFacts } from './patients/patient.js';

// Counts of patients: totals, and the number of patients for each distinct gene, variant or feature.

/** Total and distinct count. */
export interface Tally {
  total: number;
  unique: number;
}

/** Counters of the store (mme-apis, metrics-api.md). */
export interface PatientCounts {
  cases: number;
  diagnosed: number;
  submitters: number;
  genes: Tally;
  variants: Tally;
  features: Tally;
  /** Distinct sets of features, without the empty set. */
  featureSets: number;
}

/** `number` of each, and `unique` for those whose distinct values are counted. */
export interface Totals {
  cases: number;
  diagnosed: number;
  number: Record<CountedKind, number>;
  unique: Record<CountedKind, number>;
}

const countedKinds = ['submitter', 'gene', 'variant', 'feature', 'set'] as const;
type CountedKind = (typeof countedKinds)[number];

const none = (): Record<CountedKind, number> => ({ submitter: 0, gene: 0, variant: 0, feature: 0, set: 0 });

/** The stored totals; all zero at first. */
export function totalsOf(stored: unknown): Totals {
  const { cases = 0, diagnosed = 0, number = {}, unique = {} } = stored as Partial<Totals>;
  return { cases, diagnosed, number: { ...none(), ...number }, unique: { ...none(), ...unique } };
}

/** `gene:ENSG…`: one row of the tally. */
function countedKindOf(key: string): CountedKind {
  return key.slice(0, key.indexOf(':')) as CountedKind;
}

function* keysOf(facts: PatientFacts): Generator<string> {
  yield `submitter:${facts.submitter}`;
  for (const gene of facts.genes) yield `gene:${gene}`;
  for (const variant of facts.variants) yield `variant:${variant}`;
  for (const feature of facts.features) yield `feature:${feature}`;
  if (facts.featureSet !== undefined) yield `set:${facts.featureSet}`;
}

/** Changes of the totals and of the counts behind them, accumulated over many patients. */
export class TallyChange {
  readonly #totals: Totals;
  readonly keys = new Map<string, number>();

  constructor(totals: Totals) {
    this.#totals = totals;
  }

  /** `sign` 1 adds a patient, -1 removes it. */
  count(facts: PatientFacts, sign: 1 | -1): void {
    this.#totals.cases += sign;
    if (facts.diagnosed) this.#totals.diagnosed += sign;
    for (const key of keysOf(facts)) {
      this.#totals.number[countedKindOf(key)] += sign;
      this.keys.set(key, (this.keys.get(key) ?? 0) + sign);
    }
  }

  /** Applies the change of one key's count, given its previous value. */
  moved(key: string, before: number, after: number): void {
    this.#totals.unique[countedKindOf(key)] += Number(after > 0) - Number(before > 0);
  }
}

export function countsOf({ cases, diagnosed, number, unique }: Totals): PatientCounts {
  const tally = (kind: CountedKind) => ({ total: number[kind], unique: unique[kind] });
  return {
    cases,
    diagnosed,
    submitters: unique.submitter,
    genes: tally('gene'),
    variants: tally('variant'),
    features: tally('feature'),
    featureSets: unique.set,
  };
}

export * from './audit/contract.js';
export * from './exchange/contract.js';
export * from './mail/contract.js';
export {
  type KeptQuery,
  type MatchCounts,
  type MatchCursor,
  type MatchedPatient,
  type MatchPage,
  type MatchRecord,
  type MatchRepository,
  matchmakerMatches,
  type NewMatch,
  type NodeName,
  type NodeResult,
  type QueriesOf,
  type QueryFinding,
  thisNode,
} from './matches/contract.js';
export {
  type Contact,
  type Disorder,
  type Feature,
  type Gene,
  type GenomicFeature,
  hasId,
  isFacts,
  isPatient,
  isRecord,
  type Patient,
  type PatientFacts,
  type Sex,
  sexes,
  type Variant,
} from './patients/patient.js';

export {
  matchmakerResources,
  type ResourceKind,
  type ResourceRelease,
  type ResourceRepository,
  resourceKinds,
  type StoredResource,
} from './resources/contract.js';
export * from './triage/contract.js';

/** A patient in the store. */
export interface StoredPatient {
  /** Identifies the patient in indexes and cursors; ascending from 1, and never used again. */
  number: number;
  /** Counts the changes of this patient, from 1. A patient that is deleted and added again gets another number. */
  version: number;
  /** Id of the client that added it. */
  owner: string;
  created: Date;
  updated: Date;
  patient: Patient;
}

/** The owner of the demo patients. */
export const demoOwner = 'demo';

/** Whether it is neither a demo patient nor one of a test. */
export function isReal({ owner, patient }: Pick<StoredPatient, 'owner' | 'patient'>): boolean {
  return owner !== demoOwner && patient.test !== true;
}

/** Who writes. Without `all`, a writer can change its own patients only. */
export interface Writer {
  owner: string;
  /** May change the patients of all owners; a patient keeps its owner. */
  all: boolean;
}

export interface PatientSave {
  patient: Patient;
  /** What the counters count. */
  facts: PatientFacts;
  writer: Writer;
  /** Time of the addition or change. */
  at: Date;
}

export interface Saved {
  outcome: 'inserted' | 'updated' | 'unchanged';
  stored: StoredPatient;
}

/** Not saved: the patient with this id belongs to another owner, and the writer may not change all. */
export interface Foreign {
  outcome: 'foreign';
}

/** Whether the patient belongs to another owner, and the writer may not change all. */
export function isForeign({ owner }: Pick<StoredPatient, 'owner'>, writer: Writer): boolean {
  return !writer.all && owner !== writer.owner;
}

/** The fault for a writer that may not change the patient. */
export function foreignPatient(): Fault {
  return new Fault('forbidden', 'The patient with this id belongs to another owner');
}

/** A batch of changes, oldest first. */
export interface Changes {
  /** The revision to continue from: all changes up to it have been returned. */
  revision: number;
  /** Added or changed, as they are now. */
  saved: StoredPatient[];
  /** Numbers of removed patients, some of which the reader may never have received. */
  removed: number[];
}

export interface PatientPage extends ReadOptions {
  /** Only patients of this owner. */
  owner?: string;
  /** Only patients with exactly this label. */
  label?: string;
  /** Only patients with a greater number. */
  after?: number;
  limit: number;
}

/** A system that may call this node, as an operator described it. The core keeps its tokens. */
export interface Client {
  id: string;
  /** Its address, as given. */
  url?: string;
  contact?: string;
  created: Date;
}

/**
 * A stored patient that cannot be read (its row is damaged) is left out of all results, and counts as removed in
 * `changesSince`; it can still be replaced and removed by its id.
 */
export interface MatchmakerRepository {
  /**
   * Adds each patient, or replaces the one with the same id, all in one transaction; returns the outcomes in the same
   * order. A patient of another owner is `foreign`: it stays as it is, and the others are saved. A patient that equals the
   * stored one (in any order of keys) is `unchanged`, and so is its version. Concurrent saves of one id each see the state
   * that another left. At most a thousand patients, each id once.
   */
  savePatients(saves: readonly PatientSave[]): Promise<(Saved | Foreign)[]>;
  /**
   * Removes the patient, with all data for counting and finding it; returns it, or undefined if there is none. Throws
   * `forbidden` if it belongs to another owner and the writer may not change all.
   */
  removePatient(id: string, writer: Writer): Promise<StoredPatient | undefined>;
  /**
   * With `owners` only a patient of one of these, decided where it is stored: one of another owner takes no longer than one that does
   * not exist.
   */
  patient(id: string, owners?: readonly string[]): Promise<StoredPatient | undefined>;
  /**
   * The patient with the number. Inside a transaction it is locked until the end: no other transaction changes or removes
   * it, and a later removal sees what this one writes about it.
   */
  held(number: number): Promise<StoredPatient | undefined>;
  /** The patients with these ids, as far as they exist, in any order; takes any number of ids. */
  patientsById(ids: readonly string[]): Promise<StoredPatient[]>;
  /** The patients with these numbers, as far as they exist, in any order; takes any number of numbers. */
  patientsByNumber(numbers: readonly number[], options?: ReadOptions): Promise<StoredPatient[]>;
  /** By number, ascending. */
  patients(page: PatientPage): Promise<StoredPatient[]>;
  /**
   * All changes after the revision (0: all patients), in batches of at most a thousand, up to the state at the time of the
   * call. Revisions are reliable under concurrent writers: what was committed before the call is included, and nothing ever
   * appears at or below a revision that was returned. Yields no batch if nothing changed, at the cost of one query. Throws
   * `conflict` if the store has not reached the revision: an older state was restored, and the reader has to start again.
   * Must not be used inside a transaction.
   */
  changesSince(revision: number): AsyncIterable<Changes>;
  /** Exact, in time proportional to the writes since the last call. Must not be used inside a transaction. */
  counts(): Promise<PatientCounts>;
  /** The same, computed from all patients; equal to `counts` unless the counters are damaged. */
  recount(): Promise<PatientCounts>;
  /**
   * Replaces the facts of patients, after a change in how they are computed (a new table of genes). A patient that has
   * another version by now, or was removed, is left unchanged. Returns how many were replaced; `changesSince` includes them.
   */
  replaceFacts(patients: readonly { number: number; version: number; facts: PatientFacts }[]): Promise<number>;
  /** The contact addresses in use and how many patients have each, by address. */
  contacts(): Promise<{ href: string; patients: number }[]>;
  /** Replaces the contact of every patient with this contact address, in one transaction; returns how many. */
  replaceContact(href: string, contact: Contact, submitter: string, now: Date): Promise<number>;

  /** Throws `conflict` if the id exists. */
  addClient(client: Client): Promise<void>;
  /** By id. */
  clients(): Promise<Client[]>;
  /** Returns false if there is no client with this id. */
  removeClient(id: string): Promise<boolean>;
}

export const matchmaker: Contract<MatchmakerRepository> = defineContract<MatchmakerRepository>('matchmaker@1', {
  savePatients: 'needed',
  removePatient: 'needed',
  patient: 'needed',
  held: 'needed',
  patientsById: 'needed',
  patientsByNumber: 'needed',
  patients: 'needed',
  changesSince: 'needed',
  counts: 'needed',
  recount: 'needed',
  replaceFacts: 'needed',
  contacts: 'needed',
  replaceContact: 'needed',
  addClient: 'needed',
  clients: 'needed',
  removeClient: 'needed',
});
