/**
 * reviews@1: what was concluded about each case that was reported (its statements), and what has changed since then (findings,
 * rows for many cases, and changes that wait for a person's yes). Nothing here is computed: rules and evidence are the plugin's.
 */
import { type Contract, defineContract } from '../../core/storage.js';
import type {
  CaseFinding,
  ComputedFinding,
  ComputedGroupRow,
  FindingState,
  GroupRow,
  Reason,
  ReviewDecision,
} from './findings.js';
import type { Baseline, CaseKey, Conclusion, NewStatement, Statement, StatementHead } from './statements/statement.js';

export * from './findings.js';
export * from './statements/statement.js';

/** A change that would add findings to too many cases: nothing applies it until a person agrees. */
export interface HeldChange {
  /** What it is: `panel iem@5.0`. */
  id: string;
  /** Omitted if it is not of one tenant. */
  owner?: string;
  found: Date;
  /** Cases that would come onto the list, by reason, and all of them; the watched cases then. */
  byReason: Readonly<Partial<Record<Reason, number>>>;
  cases: number;
  watched: number;
  agreed?: { by: string; at: Date };
}

/** Any of them. */
export interface Touched {
  samples?: readonly string[];
  panels?: readonly string[];
  patients?: readonly string[];
  /** Listed by a statement, by build and `alleleKey`. */
  alleles?: readonly { build: Statement['build']; key: string }[];
}

/** Names of tenants, and undefined for what belongs to none; all if omitted. */
export type Owners = readonly (string | undefined)[];

export interface StatementSelection {
  owners?: Owners;
  touched?: Touched;
  conclusion?: Conclusion;
  /** Only those after this one. */
  after?: CaseKey;
  limit: number;
}

export interface FindingSelection {
  owners?: Owners;
  ids?: readonly string[];
  case?: CaseKey;
  states?: readonly FindingState[];
  reasons?: readonly Reason[];
  panel?: string;
  /** HGNC id. */
  gene?: number;
  /** Of cases that these touch. */
  touched?: Touched;
  foundFrom?: Date;
  foundBefore?: Date;
  /** Only those after this one. */
  after?: Pick<CaseFinding, 'priority' | 'found' | 'id'>;
  limit: number;
}

/** The findings of one case, as they were computed for one revision. */
export interface ComputedCase extends CaseKey {
  revision: number;
  /** When the gathering of the evidence began. */
  gathered: Date;
  /** The reasons that were looked at; findings of others stay. */
  reasons: readonly Reason[];
  findings: readonly ComputedFinding[];
}

/** What became of the findings of one case. */
export interface Reconciled extends CaseKey {
  /** Ids of findings that are open now and were not before: new ones, and those that returned. */
  opened: readonly string[];
  /** Ids of findings whose evidence does not hold any more. */
  gone: readonly string[];
}

/** Findings of one reason and the year in which they were found. */
export interface YieldRow {
  reason: Reason;
  year: number;
  findings: number;
  /** Decided so. */
  reopened: number;
  /** Of these, in cases that are now solved. */
  solved: number;
}

export interface ReviewRepository {
  /**
   * Stores a statement: the first of its case has revision 1, another the revision after that of the newest, which it
   * supersedes, together with its baseline; the findings of the case are then gone. If it is not watched (`recontact: no`), they
   * are removed. Throws a `conflict` fault, and changes nothing, for another revision.
   */
  put(statement: NewStatement, stored: Date): Promise<void>;
  /** The newest statement of a case with its baseline, or one of this revision, of which former ones have none. */
  find(key: CaseKey, revision?: number): Promise<Statement | undefined>;
  /** The newest statements, by owner (none first) and case, in the order of code points; at most `limit`. */
  list(selection: StatementSelection): Promise<StatementHead[]>;
  /** The newest statements that are watched at this time, with their baselines: all, or those that are touched. */
  watched(at: Date, touched?: Touched, signal?: AbortSignal): AsyncIterable<Statement>;
  /** Number of statements that are watched at this time; `unlooked`: only those without a baseline. */
  countWatched(at: Date, only?: { owners?: Owners; unlooked?: true }): Promise<number>;
  /** Keeps the baseline of a statement. Returns false, and changes nothing, unless this revision is the newest without one. */
  takeBaseline(key: CaseKey, revision: number, baseline: Baseline): Promise<boolean>;
  /**
   * Reconciles stored findings with computed ones, for all of these cases or none. New ones are open; of others the evidence
   * is replaced. One that was decided, or is to be looked at later, is open again if `rests` is not that of the decision, or
   * if its time has come; one that was gone is again what it was. Those that are not computed any more are gone.
   * Cases whose newest statement has another revision or no baseline are left out, and those whose findings are of evidence
   * that was gathered later: of two runs at once the later one wins.
   */
  replaceFindings(cases: readonly ComputedCase[], at: Date): Promise<Reconciled[]>;
  /** By priority, then those found first, then by id; at most `limit`. */
  findings(selection: FindingSelection): Promise<CaseFinding[]>;
  /** Number of findings by reason that are open. */
  countOpen(owners?: Owners): Promise<ReadonlyMap<Reason, number>>;
  /** By year, then in the order of reasons. */
  yields(owners?: Owners): Promise<YieldRow[]>;
  /** Reconciles rows of one kind, in the same way. */
  replaceGroups(kind: GroupRow['kind'], rows: readonly ComputedGroupRow[], at: Date): Promise<void>;
  /** By number of cases, descending, then by id. */
  groups(selection: {
    owners?: Owners;
    ids?: readonly string[];
    states?: readonly FindingState[];
  }): Promise<GroupRow[]>;
  /**
   * Keeps a person's decision about a finding or a group row: `later` leaves it for later, others decide it. Returns false, and
   * changes nothing, if it is missing, gone, or has another revision than the one that was read.
   */
  decide(
    what: 'finding' | 'group',
    id: string,
    revision: number,
    decision: Omit<ReviewDecision, 'rests'>,
  ): Promise<boolean>;
  /** Adds a held change, or replaces the figures of the one with its id unless it was agreed to. */
  hold(change: Omit<HeldChange, 'agreed'>): Promise<void>;
  /** Those that wait, and those that were agreed to, the latest first. */
  held(owners?: Owners): Promise<HeldChange[]>;
  /** Agrees to a held change, or drops it if `agreed` is omitted. Returns false if there is none that waits. */
  settle(id: string, agreed?: { by: string; at: Date }): Promise<boolean>;
  /** Removes cases with all statements and findings, also from findings about others with the same allele, all at once. Returns how many existed. */
  remove(cases: readonly CaseKey[]): Promise<number>;
  /** Removes, in steps, the cases that are to be kept until before this time. Returns how many they were. */
  expire(before: Date): Promise<number>;
}

export const reviews: Contract<ReviewRepository> = defineContract<ReviewRepository>('reviews@1', {
  put: 'needed',
  find: 'needed',
  list: 'needed',
  watched: 'needed',
  countWatched: 'needed',
  takeBaseline: 'needed',
  replaceFindings: 'needed',
  findings: 'needed',
  countOpen: 'needed',
  yields: 'needed',
  replaceGroups: 'needed',
  groups: 'needed',
  decide: 'needed',
  hold: 'needed',
  held: 'needed',
  settle: 'needed',
  remove: 'needed',
  expire: 'needed',
});
