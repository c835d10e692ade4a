/** Rows of triage. */
import {
  isRecord,
  revived,
  type Seen,
  type TriageRow,
  type TriageWork,
  textOf,
} from '../../../plugins/matchmaker/contract.js';
import type { Engine } from '../binding.js';
import { intact, type StoredRows } from '../rows.js';
import { rows } from './migrations.js';

export interface StoredRow {
  id: string;
  submission: number;
  owner: string;
  node: string;
  patient: string;
  first_seen: unknown;
  last_seen: unknown;
  seen: unknown;
  revision: number;
  work: unknown;
}

/** The columns that a search writes; all others are what people note. */
export const seenColumns = ['node', 'patient', 'last_seen', 'seen', 'text'] as const;

/** A damaged row is left out: the next search makes another one. */
export const triageRows: StoredRows<StoredRow, TriageRow> = {
  table: rows,
  key: 'id',
  columns: ['id', 'submission', 'owner', 'node', 'patient', 'first_seen', 'last_seen', 'seen', 'revision', 'work'],
  read(values, { id, submission, owner, node, patient, first_seen, last_seen, seen: stored, revision, work: noted }) {
    const seen = values.parseJson(stored);
    const work = values.parseJson(noted);
    intact(isRecord(seen) && isRecord(seen.contact) && isRecord(seen.score) && Array.isArray(seen.scores));
    intact([seen.genes, seen.terms, seen.stated, seen.formerIds, seen.own].every(Array.isArray));
    intact(isRecord(work) && typeof work.status === 'string' && Array.isArray(work.history));
    return {
      ...revived(seen as unknown as Seen, 'scores'),
      ...{ id, submission, owner, node, patient, revision },
      firstSeen: values.parseTime(first_seen),
      lastSeen: values.parseTime(last_seen),
      work: revived(work as unknown as TriageWork, 'history'),
    };
  },
};

export function columnsOf(row: TriageRow, values: Engine['values']) {
  const { id, submission, owner, node, patient, firstSeen, lastSeen, revision, work, ...seen } = row;
  return {
    ...{ id, submission, owner, node, patient, revision },
    first_seen: values.time(firstSeen),
    last_seen: values.time(lastSeen),
    seen: values.json(seen),
    text: textOf(row),
    ...workColumns(work, values),
  };
}

export function workColumns(work: TriageWork, values: Engine['values']) {
  return { status: work.status, assignee: work.assignee ?? null, work: values.json(work) };
}

/** All names by which the row is found. */
export function namesOf({ id, node, submission, patient, formerIds, content }: TriageRow) {
  const all = [...[patient, ...formerIds].map(idName), contentName(content)];
  return all.map((name) => ({ name, node, submission, row: id }));
}

export const idName = (id: string) => `p:${id}`;
export const contentName = (content: string) => `c:${content}`;
