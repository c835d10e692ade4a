/** Findings and group rows as the rows of reviews@1 have them, and what becomes of one that is computed again. */
import type { RowOf } from '../../core/storage.js';
import type {
  CaseFinding,
  CaseKey,
  ComputedFinding,
  ComputedGroupRow,
  Decidable,
  FindingState,
  GroupRow,
  Reason,
  ReviewDecision,
} from './contract.js';
import { type findings, type groups, ownerColumn, ownerOf, revived, type StoredDecision } from './stored-rows.js';

/** The state of a finding that holds now, after the last decision about it. */
function stateOf(rests: string, decision: ReviewDecision | undefined, at: Date): FindingState {
  if (decision === undefined || decision.rests !== rests) return 'open';
  if (decision.outcome !== 'later') return 'decided';
  return decision.until !== undefined && decision.until <= at ? 'open' : 'later';
}

/**
 * What becomes of stored rows of which these are computed now. A row that reads otherwise than the stored one, by `rowOf`, is changed.
 */
export function reconciled<
  Computed extends ComputedFinding | ComputedGroupRow,
  Stored extends Computed & Decidable,
  Row,
>(computed: readonly Computed[], stored: readonly Stored[], at: Date, rowOf: (one: Computed | Stored) => Row) {
  const left = new Map(stored.map((one) => [one.id, one]));
  const opened: string[] = [];
  const [added, changed]: [ReturnType<typeof first>[], ReturnType<typeof next>[]] = [[], []];
  const first = (row: Row, state: FindingState) => ({ ...row, state, found: at, revision: 1 });
  const next = (row: Row, state: FindingState, found: { found?: Date }) => {
    return { ...row, state, ...found, revision: { plus: 1 } };
  };
  for (const one of computed) {
    const before = left.get(one.id);
    left.delete(one.id);
    const row = rowOf(one);
    const state = stateOf(one.rests, before?.decision, at);
    const isOpened = state === 'open' && before?.state !== 'open';
    if (isOpened) opened.push(one.id);
    if (before === undefined) added.push(first(row, state));
    else if (state !== before.state || JSON.stringify(row) !== JSON.stringify(rowOf(before)))
      changed.push(next(row, state, isOpened ? { found: at } : {}));
  }
  return { added, changed, opened, left: [...left.values()].filter(({ state }) => state !== 'gone') };
}

/** These members of a record, in this order. */
function picked<Of, Name extends keyof Of>(one: Of, ...names: Name[]): Pick<Of, Name> {
  const stated = names.filter((name) => one[name] !== undefined);
  return Object.fromEntries(stated.map((name) => [name, one[name]])) as Pick<Of, Name>;
}

/** `of`: its case, and what the statement says; a stored finding says for itself. */
export function findingRow(one: ComputedFinding | CaseFinding, of: CaseKey & { caseNumber: number; panel: string }) {
  const { owner, case: name, caseNumber, panel } = { ...of, ...one };
  return {
    ...{ id: one.id, caseNumber, owner: ownerColumn(owner), name, panel },
    ...{ reason: one.reason, priority: one.priority, gene: one.gene?.hgnc, rests: one.rests },
    facts: picked(one, 'gene', 'allele', 'evidence'),
  };
}

export function findingOf(row: RowOf<typeof findings.columns>): CaseFinding {
  const { id, owner, name, panel, reason, priority, rests, facts } = row;
  return {
    ...{ id, ...ownerOf(owner), case: name, panel, reason: reason as Reason, priority, rests, ...facts },
    ...decidableOf(row),
  };
}

export function groupRow(one: ComputedGroupRow) {
  const facts = picked(one, 'subject', 'release', 'cases', 'panels', 'evidence', 'hgnc', 'assay');
  return { id: one.id, owner: ownerColumn(one.owner), kind: one.kind, rests: one.rests, facts };
}

export function groupOf(row: RowOf<typeof groups.columns>): GroupRow {
  const { id, owner, kind, rests, facts } = row;
  return { id, ...ownerOf(owner), kind: kind as GroupRow['kind'], rests, ...facts, ...decidableOf(row) };
}

interface DecidableRow {
  state: string;
  found: Date;
  revision: number;
  decision?: StoredDecision;
}

function decidableOf({ state, found, revision, decision }: DecidableRow): Decidable {
  return { state: state as FindingState, found, revision, ...(decision && { decision: revived(decision) }) };
}
