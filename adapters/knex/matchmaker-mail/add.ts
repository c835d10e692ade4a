/** Adds notices to the outbox, each match only once, ever. */
import {
  hasId,
  isRecord,
  type NewNotice,
  type NewReportedMatch,
  type Notice,
  type ReportedMatch,
} from '../../../plugins/matchmaker/contract.js';
import type { Database, Engine } from '../binding.js';
import { intact } from '../rows.js';
import { outbox, pairs, told } from './migrations.js';

/** The part of a notice that is stored as one JSON document. */
export interface Document extends Pick<Notice, 'to' | 'patient'> {
  created: string;
  matches: (Omit<ReportedMatch, 'terms'> & { terms?: string[] })[];
}

/** Throws if it is damaged. */
export function documentIn(values: Engine['values'], stored: unknown): Document {
  const document = values.parseJson(stored);
  intact(isRecord(document));
  const { to, patient, created, matches } = document;
  intact(Array.isArray(to) && hasId(patient) && typeof created === 'string' && Array.isArray(matches));
  intact(matches.every((match) => isRecord(match) && hasId(match.node) && hasId(match.patient)));
  return document as unknown as Document;
}

/** SQLite accepts 500 rows in one statement. */
const insertedAtOnce = 250;

interface Claim {
  patient: string;
  node: string;
  other: string;
  pair: string;
}

export async function addNotices(database: Database, notices: readonly NewNotice[]): Promise<boolean> {
  const { write, engine } = database;
  const claims = notices.flatMap(({ patient, matches }) => matches.map((match) => claimOf(patient.id, match)));
  // Always by ids first and then by pairs, so that two calls cannot deadlock.
  const ids = await claimed(database, told, ['patient', 'node', 'other'], claims);
  const fresh = await claimed(database, pairs, ['pair'], claims, ['patient', 'node', 'other']);
  const rows = notices.flatMap(({ id, created, due, search, to, patient, matches }) => {
    const news = matches.filter((match) => {
      const claim = claimOf(patient.id, match);
      const [byIds, byPair] = [ids.delete(keyOf(claim, ['patient', 'node', 'other'])), fresh.delete(claim.pair)];
      return byIds && byPair;
    });
    if (news.length === 0) return [];
    const document: Document = {
      created: created.toISOString(),
      to,
      patient,
      matches: news.map(({ pair: _, ...match }) => match),
    };
    const row = { id, due: engine.values.time(due), search, patient: patient.id, failures: 0 };
    return [{ ...row, document: engine.values.json(document) }];
  });
  for (let i = 0; i < rows.length; i += insertedAtOnce) await write(outbox).insert(rows.slice(i, i + insertedAtOnce));
  return rows.length > 0;
}

function claimOf(patient: string, { node, patient: { id: other }, pair }: NewReportedMatch): Claim {
  return { patient, node: node.id, other, pair };
}

function keyOf(claim: Claim, columns: readonly (keyof Claim)[]): string {
  const values = columns.map((column) => claim[column]);
  return values.length === 1 ? String(values[0]) : JSON.stringify(values);
}

/** Inserts the missing keys, in an order that all callers share; returns the inserted ones. */
async function claimed(
  { write }: Database,
  table: string,
  key: readonly (keyof Claim)[],
  claims: readonly Claim[],
  beside: readonly (keyof Claim)[] = [],
): Promise<Set<string>> {
  const byKey = new Map<string, Claim>();
  for (const claim of claims) if (!byKey.has(keyOf(claim, key))) byKey.set(keyOf(claim, key), claim);
  const rows = [...byKey]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, claim]) => Object.fromEntries([...key, ...beside].map((column) => [column, claim[column]])));
  const inserted = new Set<string>();
  for (let i = 0; i < rows.length; i += insertedAtOnce) {
    const added = await write(table)
      .insert(rows.slice(i, i + insertedAtOnce))
      .onConflict([...key])
      .ignore()
      .returning<Claim[]>([...key]);
    for (const row of added) inserted.add(keyOf(row, key));
  }
  return inserted;
}
