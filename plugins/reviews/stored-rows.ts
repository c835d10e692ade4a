/** The tables of reviews@1, and statements as their rows have them. */
import { createHash } from 'node:crypto';
import {
  boolean,
  defineTable,
  generated,
  json,
  optional,
  person,
  type RowOf,
  small,
  text,
  time,
  user,
} from '../../core/storage.js';
import {
  alleleKey,
  type Baseline,
  type CaseKey,
  type ComputedFinding,
  type ComputedGroupRow,
  conclusions,
  findingStates,
  type HeldChange,
  type NewStatement,
  type Owners,
  type ReviewDecision,
  reasons,
  type Statement,
  type StatementHead,
  type Touched,
} from './contract.js';

/** With its times as text, since JSON has none. */
type Texted<Of> = { [Name in keyof Of]: Date extends Of[Name] ? Exclude<Of[Name], Date> | string : Of[Name] };
/** Without what has columns of its own. */
type StoredFacts = Texted<Omit<NewStatement, 'case' | 'owner' | 'revision'>>;
type StoredBaseline = Texted<Baseline>;
export type StoredDecision = Texted<ReviewDecision>;

const times: ReadonlySet<string> = new Set(['decided', 'keepUntil', 'recontact', 'taken', 'at', 'until']);

export function texted<Of extends object>(value: Of): Texted<Of> {
  const members = Object.entries(value).map(([name, one]) => [name, one instanceof Date ? one.toISOString() : one]);
  return Object.fromEntries(members) as Texted<Of>;
}

export function revived<Of extends object>(value: Texted<Of>): Of {
  const members = Object.entries(value).map(([name, one]: [string, unknown]) => {
    const isTime = times.has(name) && typeof one === 'string' && one !== 'yes' && one !== 'no';
    return [name, isTime ? new Date(one) : one];
  });
  return Object.fromEntries(members) as Of;
}

const withCase = 'with the case';

/** The newest statement of each case. The owner is empty if nothing is divided. */
export const cases = defineTable({
  name: 'reviews_cases',
  columns: {
    number: generated(),
    owner: user(text(), withCase),
    name: person(text()),
    revision: small(),
    panel: text(),
    conclusion: text(),
    watchedUntil: time(),
    keepUntil: time(),
    stored: time(),
    lookedAt: boolean(),
    /** When the evidence of its findings was gathered. */
    gathered: optional(time()),
    facts: person(json<StoredFacts>()),
    baseline: person(optional(json<StoredBaseline>())),
  },
  key: ['number'],
  unique: [['owner', 'name']],
  indexes: [['watchedUntil'], ['keepUntil']],
  // A damaged statement is left out: nothing is concluded from it.
  sound: ({ conclusion, facts }) =>
    (conclusion === undefined || (conclusions as readonly string[]).includes(conclusion)) &&
    (facts === undefined || (Array.isArray(facts.persons) && Array.isArray(facts.alleles))),
});

/** Statements that were superseded. */
export const former = defineTable({
  name: 'reviews_former',
  columns: { caseNumber: small(), revision: small(), stored: time(), facts: person(json<StoredFacts>()) },
  key: ['caseNumber', 'revision'],
});

/** By which cases are found, those of former statements included. */
export const words = defineTable({
  name: 'reviews_words',
  columns: { word: person(text()), caseNumber: small() },
  key: ['word', 'caseNumber'],
  indexes: [['caseNumber']],
});

/** What findings and group rows have alike. */
const decidable = {
  state: text(),
  found: time(),
  revision: small(),
  rests: text(),
  decision: user(optional(json<StoredDecision>()), 'with the finding'),
};

const isState = (state: string | undefined) =>
  state === undefined || (findingStates as readonly string[]).includes(state);

export const findings = defineTable({
  name: 'reviews_findings',
  columns: {
    id: text(),
    caseNumber: small(),
    owner: user(text(), withCase),
    name: person(text()),
    panel: text(),
    reason: text(),
    priority: small(),
    gene: optional(small()),
    ...decidable,
    facts: person(json<Pick<ComputedFinding, 'gene' | 'allele' | 'evidence'>>()),
  },
  key: ['id'],
  indexes: [['caseNumber'], ['state', 'priority', 'found']],
  sound: ({ state, reason }) =>
    isState(state) && (reason === undefined || (reasons as readonly string[]).includes(reason)),
});

export const groups = defineTable({
  name: 'reviews_groups',
  columns: {
    id: text(),
    owner: user(text(), 'with the row'),
    kind: text(),
    ...decidable,
    facts: json<Omit<ComputedGroupRow, 'id' | 'owner' | 'kind' | 'rests'>>(),
  },
  key: ['id'],
  indexes: [['kind']],
  sound: ({ state }) => isState(state),
});

export const held = defineTable({
  name: 'reviews_held',
  columns: {
    id: text(),
    owner: user(text(), 'with the change'),
    found: time(),
    facts: json<Pick<HeldChange, 'byReason' | 'cases' | 'watched'>>(),
    agreed: user(optional(json<{ by: string; at: string }>()), 'with the change'),
  },
  key: ['id'],
});

export const ownerColumn = (owner: string | undefined): string => owner ?? '';
export const ownerOf = (column: string): { owner?: string } => (column === '' ? {} : { owner: column });
/** The condition that rows belong to one of them. */
export const ofOwners = (owners: Owners | undefined) =>
  owners === undefined ? {} : { owner: { among: owners.map(ownerColumn) } };

/** Later than every time that is stored. */
const forever = new Date(Date.UTC(9999, 11, 31));

export function rowOfStatement(statement: NewStatement) {
  const { owner, case: name, revision, ...facts } = statement;
  const { keepUntil, recontact } = facts;
  return {
    ...{ owner: ownerColumn(owner), name, revision, panel: statement.panel.panel, conclusion: statement.conclusion },
    watchedUntil: recontact === 'yes' ? forever : recontact === 'no' ? new Date(0) : recontact,
    keepUntil: keepUntil ?? forever,
    ...{ lookedAt: false, facts: texted(facts) },
  };
}

type CaseRow = RowOf<typeof cases.columns>;
type CaseHeadRow = Pick<CaseRow, 'owner' | 'name' | 'revision' | 'stored' | 'lookedAt' | 'facts'>;

export function headOf({ owner, name, revision, stored, lookedAt, facts }: CaseHeadRow): StatementHead {
  return { ...ownerOf(owner), case: name, revision, ...revived(facts), stored, isLookedAt: lookedAt };
}

export function statementOf(row: CaseRow): Statement {
  return { ...headOf(row), ...(row.baseline && { baseline: revived(row.baseline) }) };
}

/** By what a statement is found. */
export function touchedBy({ persons, panel, patient, alleles, build }: NewStatement): Touched {
  return {
    samples: persons.map(({ sample }) => sample),
    panels: [panel.panel],
    ...(patient !== undefined && { patients: [patient] }),
    alleles: alleles.map((one) => ({ build, key: alleleKey(one) })),
  };
}

/** The words by which a statement is found; a long one by its digest. */
export function wordsOf(touched: Touched): string[] {
  const all = [
    ...(touched.samples ?? []).map((id) => `sample ${id}`),
    ...(touched.panels ?? []).map((id) => `panel ${id}`),
    ...(touched.patients ?? []).map((id) => `patient ${id}`),
    ...(touched.alleles ?? []).map(({ build, key }) => `allele ${build} ${key}`),
  ];
  const short = (word: string) =>
    word.length <= 250 ? word : `digest ${createHash('sha256').update(word).digest('hex')}`;
  return [...new Set(all.map(short))];
}

/** The cases with these keys. */
export function keyed(keys: readonly CaseKey[]) {
  const byOwner = grouped(keys, ({ owner }) => ownerColumn(owner));
  return [...byOwner].map(([owner, own]) => ({ owner, name: { among: own.map((key) => key.case) } }));
}

export function grouped<Of, Key>(all: readonly Of[], keyOf: (one: Of) => Key): Map<Key, Of[]> {
  const found = new Map<Key, Of[]>();
  for (const one of all) {
    const own = found.get(keyOf(one));
    if (own) own.push(one);
    else found.set(keyOf(one), [one]);
  }
  return found;
}
