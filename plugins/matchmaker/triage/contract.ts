/** matchmaker-triage@1: the counterparts of submissions, and what people note about each. */
import { type Contract, defineContract } from '../../../core/storage.js';
import type { NodeName } from '../matches/contract.js';
import type { Purpose } from '../patients/patient.js';
import type { StatedFeature } from '../patients/presentation.js';

// How adapters keep what triage knows.

/** A person's visit to the rows of a submission. */
export interface Visit {
  /** The end of the visit before; undefined if there was none. */
  since?: Date | undefined;
  /** The last look. */
  at: Date;
}

export const visitMinutes = 30;

/** The visit after a look, which continues the known one if that is recent. */
export function visitAt(known: Visit | undefined, at: Date): Visit {
  const goesOn = known !== undefined && at.getTime() - known.at.getTime() < visitMinutes * 60_000;
  return { since: goesOn ? known.since : known?.at, at };
}

/** Gives a list in a value that was stored as JSON its times back. */
export function revived<Value, Key extends keyof Value>(value: Value, key: Key): Value {
  const list = value[key] as unknown as { at: string }[];
  return { ...value, [key]: list.map((one) => ({ ...one, at: new Date(one.at) })) };
}

export const triageStatuses = ['new', 'contacted', 'they-contacted', 'follow-up', 'irrelevant', 'solved'] as const;
export type TriageStatus = (typeof triageStatuses)[number];

/** `found`: a search with the submission found the counterpart; `asked`: a search with the counterpart found the submission. */
export type Direction = 'found' | 'asked';

/** The part of a contact that is needed to write to it. */
export interface Reachable {
  name: string;
  href: string;
  institution?: string;
  email?: string | string[];
}

/** 0 to 1, as stated by the node that compared the patients. */
export interface TriageScore {
  patient: number;
  genotype?: number;
  phenotype?: number;
  /** Of a score of this node: how many percent of so many random pairs of its patients have a lower one. */
  reading?: { higherThan: number; pairs: number; patients: number };
}

/** A counterpart as a search saw it. */
export interface Counterpart {
  contact: Reachable;
  score: TriageScore;
  /** Symbols or ids of the genes that both have. */
  genes: string[];
  /** Phenotype terms that both have, the most informative first: `HP:0001250 Seizure`. */
  terms: string[];
  /** What the counterpart states of its genes; matched ones first. */
  stated: StatedFeature[];
  /** Why it is compared, if that is stated. */
  purpose?: Purpose;
}

export interface Sighting extends Counterpart {
  /** A random UUID: that of the row, if there is none for the counterpart yet. */
  id: string;
  at: Date;
  /** Number of the stored patient. */
  submission: number;
  /** Its owner. */
  owner: string;
  /** Its id and label, by which its rows are found. */
  own: string[];
  /** The node that stores the counterpart, or the client that queried with it. */
  node: NodeName;
  /** The id of the counterpart on that node. */
  patient: string;
  /** A digest of the content and the contact of the counterpart, independent of its id. */
  content: string;
  direction: Direction;
}

/** What is known of a counterpart from all searches. */
export interface Seen extends Counterpart {
  own: string[];
  /** The name of the node. */
  label: string;
  content: string;
  /** Earlier ids, the latest first. */
  formerIds: string[];
  found: boolean;
  asked: boolean;
  /** Scores, oldest first, each from when it was first seen: the first one and the latest `scoresKept`. */
  scores: { at: Date; score: TriageScore }[];
}

/** A person or program, and what was done. */
export interface TriageEntry {
  at: Date;
  by: string;
  /** What the identity provider called that person. */
  name?: string;
  what: 'status' | 'assignee' | 'note' | 'draft' | 'mail' | 'contact';
  /** The value before and after. */
  from?: string;
  to?: string;
  /** A note, or a mail as it was sent. */
  text?: string;
  mail?: TriageMail;
}

export interface TriageMail {
  id: string;
  to: string[];
  subject: string;
  text: string;
  /** `sending` until the mail server has accepted it, or refused it. */
  state: 'sending' | 'sent' | 'failed';
  /** Why it failed. */
  reason?: string;
}

/** What people note about a row. */
export interface TriageWork {
  status: TriageStatus;
  assignee?: string;
  /** A mail that is not sent yet. */
  draft?: { subject: string; text: string };
  /** Oldest first. */
  history: TriageEntry[];
}

export interface TriageRow extends Seen {
  id: string;
  submission: number;
  owner: string;
  node: string;
  /** The latest id of the counterpart. */
  patient: string;
  firstSeen: Date;
  lastSeen: Date;
  /** Counts the changes by people, from 1. */
  revision: number;
  work: TriageWork;
}

/** Selects submissions by their rows: those with at least one row that meets all conditions. */
export interface TriagePage {
  /** Owners of the submissions; all if omitted. */
  owners?: readonly string[];
  /** Rows that have this text, in any case, in what `textOf` returns. */
  text?: string;
  status?: TriageStatus;
  assignee?: string;
  node?: string;
  /** Rows last seen at this time or later. */
  since?: Date;
  /** Only submissions that come after this one. */
  after?: { last: Date; submission: number };
  limit: number;
}

/** A submission, with what its list of rows amounts to. */
export interface TriageSummary {
  submission: number;
  owner: string;
  /** When a row that meets the conditions was last seen. */
  last: Date;
  /** All of its rows, by their status. */
  statuses: Partial<Record<TriageStatus, number>>;
  /** Rows that were first seen after the person's last visit; all of them if there was none. */
  unseen: number;
}

export interface Forgotten {
  /** Number of the submission. */
  submission?: number | undefined;
  /** Id of a counterpart, on any node or on these. */
  patient?: string | undefined;
  nodes?: readonly string[] | undefined;
}

export interface TriageRepository {
  /**
   * Notes counterparts that a search saw; see `sighted` for what a row becomes. Sightings of submissions that were forgotten
   * are ignored. Concurrent calls see each other's rows. What people noted stays. Call it last in a transaction.
   */
  seen(sightings: readonly Sighting[]): Promise<void>;
  row(id: string): Promise<TriageRow | undefined>;
  /** All rows of a submission, the one last seen first; of the same time, by id. */
  rows(submission: number): Promise<TriageRow[]>;
  /** The rows whose counterpart has or had this id, on any node or one of these, by id. */
  rowsAbout(patient: string, nodes?: readonly string[]): Promise<TriageRow[]>;
  /** The submissions with rows, the one last seen first; of the same time, the greater number. `unseen` is for this person. */
  submissions(page: TriagePage, person: string): Promise<TriageSummary[]>;
  /** The same for these submissions, in any order, whether or not they have rows: `last` is undefined without any. */
  summaries(
    submissions: readonly number[],
    person: string,
  ): Promise<(Omit<TriageSummary, 'last' | 'owner'> & { last?: Date })[]>;
  /** Replaces what is noted if the row has this revision; returns whether it had. */
  change(id: string, revision: number, work: TriageWork): Promise<boolean>;
  /** Adds an entry to the history of the submission itself; returns false if it was forgotten. */
  note(submission: number, entry: TriageEntry): Promise<boolean>;
  /** The history of the submission itself, oldest first. */
  notes(submission: number): Promise<TriageEntry[]>;
  /**
   * Notes that the person looks at the rows. Returns since when rows are new to that person: the end of the visit before;
   * undefined if there was none. Looks less than `visitMinutes` apart are one visit.
   */
  visit(person: string, submission: number, at: Date): Promise<Date | undefined>;
  /**
   * Deletes all about a submission, for good: a later `seen` ignores it; and the rows that `rowsAbout` returns for the patient
   * and the nodes. Returns the number of rows.
   */
  forget(what: Forgotten): Promise<number>;
  /** Deletes rows last seen before the time that no person has changed; returns how many. */
  expire(before: Date): Promise<number>;
}

export const matchmakerTriage: Contract<TriageRepository> = defineContract<TriageRepository>('matchmaker-triage@1', {
  seen: 'needed',
  row: 'needed',
  rows: 'needed',
  rowsAbout: 'needed',
  submissions: 'needed',
  summaries: 'needed',
  change: 'needed',
  note: 'needed',
  notes: 'needed',
  visit: 'needed',
  forget: 'needed',
  expire: 'needed',
});

export const scoresKept = 20;

/**
 * The rows that sightings add or change, of the known rows of their submissions and nodes. A counterpart is the row with its id,
 * else the row that had this id, else the row with its content: a node may give a patient another id. A row whose id is in the
 * same search is only found by that id, as those counterparts are several patients.
 */
export function sighted(known: readonly TriageRow[], sightings: readonly Sighting[]): TriageRow[] {
  const changed = new Map<string, TriageRow>();
  const knownOf = grouped(known, ({ submission, node }) => keyOfNode(submission, node));
  for (const [key, all] of grouped(sightings, ({ submission, node }) => keyOfNode(submission, node.id))) {
    const rows = new NodeRows(knownOf.get(key) ?? [], new Set(all.map(({ patient }) => patient)));
    for (const sighting of all) for (const row of rows.add(sighting)) changed.set(row.id, row);
  }
  return [...changed.values()];
}

const keyOfNode = (submission: number, node: string) => JSON.stringify([submission, node]);

function grouped<One>(all: readonly One[], keyOf: (one: One) => string): Map<string, One[]> {
  const found = new Map<string, One[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = found.get(key);
    if (group) group.push(one);
    else found.set(key, [one]);
  }
  return found;
}

/** The rows of one submission and node, which meet the counterparts of one search. */
class NodeRows {
  /** By every id that they have or had: an id is one row's. */
  readonly #byId = new Map<string, TriageRow>();
  /** By their own id, as they are now. */
  readonly #rows = new Map<string, TriageRow>();
  /** Ids of the search: a row whose latest id is one of them is only found by it, as long as the search lasts. */
  readonly #ids: ReadonlySet<string>;
  /** The other rows by content, the last of their ids first: each is looked at once, however many have one content. */
  readonly #free = new Map<string, TriageRow[]>();

  constructor(rows: readonly TriageRow[], ids: ReadonlySet<string>) {
    this.#ids = ids;
    for (const row of rows) this.#replace(undefined, row);
    const free = rows.filter((row) => this.#isFree(row)).sort((one, two) => (one.id < two.id ? 1 : -1));
    for (const [content, same] of grouped(free, ({ content }) => content)) this.#free.set(content, same);
  }

  /** Returns the rows that change. */
  add(sighting: Sighting): TriageRow[] {
    const { patient } = sighting;
    const before = this.#rowFor(sighting);
    const other = this.#byId.get(patient);
    const left: TriageRow[] = [];
    if (other && other !== before) {
      left.push({ ...other, formerIds: other.formerIds.filter((id) => id !== patient) });
      this.#replace(other, left[0]);
    }
    const after = rowAfter(before, sighting);
    this.#replace(before, after);
    return [...left, after];
  }

  #isFree({ patient }: TriageRow): boolean {
    return !this.#ids.has(patient);
  }

  #rowFor({ patient, content }: Sighting): TriageRow | undefined {
    const known = this.#byId.get(patient);
    if (known && (known.patient === patient || this.#isFree(known))) return known;
    const same = this.#free.get(content) ?? [];
    for (let next = same.pop(); next; next = same.pop()) {
      // It may have been found by an earlier id since.
      const row = this.#rows.get(next.id);
      if (row && this.#isFree(row)) return row;
    }
    return undefined;
  }

  #replace(before: TriageRow | undefined, after: TriageRow | undefined): void {
    for (const id of before ? [before.patient, ...before.formerIds] : []) this.#byId.delete(id);
    if (!after) return;
    for (const id of [after.patient, ...after.formerIds]) this.#byId.set(id, after);
    this.#rows.set(after.id, after);
  }
}

function rowAfter(row: TriageRow | undefined, sighting: Sighting): TriageRow {
  const { id, at, submission, owner, own, node, patient, content, direction } = sighting;
  const { contact, score, genes, terms, stated, purpose } = sighting;
  const formerIds = row ? [row.patient, ...row.formerIds].filter((one) => one !== patient) : [];
  return {
    ...{ id: row?.id ?? id, submission, owner, own, node: node.id, label: node.label, patient, content },
    ...{ formerIds, contact, score, genes, terms, stated },
    ...(purpose !== undefined && { purpose }),
    found: row?.found === true || direction === 'found',
    asked: row?.asked === true || direction === 'asked',
    firstSeen: row?.firstSeen ?? at,
    lastSeen: row && row.lastSeen > at ? row.lastSeen : at,
    scores: scoresAfter(row?.scores ?? [], { at, score }),
    revision: row?.revision ?? 1,
    work: row?.work ?? { status: 'new', history: [] },
  };
}

/** Of the same score only the reading may change: its random pairs are drawn again as the node grows. */
function scoresAfter(before: Seen['scores'], now: Seen['scores'][number]): Seen['scores'] {
  const last = before.at(-1)?.score;
  const members = ['patient', 'genotype', 'phenotype'] as const;
  if (last && members.every((member) => last[member] === now.score[member])) return before;
  const [first, ...rest] = [...before, now];
  return first === undefined ? [] : [first, ...rest.slice(-scoresKept)];
}

/** The text in which rows are searched, in lower case, one value a line. */
export function textOf({ own, patient, formerIds, node, label, contact, genes }: TriageRow): string {
  const { name, href, institution, email } = contact;
  const values = [...own, patient, ...formerIds, node, label, name, href, institution, ...[email].flat(), ...genes];
  return values.flatMap((value) => (value === undefined ? [] : value.toLowerCase())).join('\n');
}
