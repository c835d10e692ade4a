/** Findings and group rows as the rows of reviews@1 have them, and what becomes of one that is computed again. */
import type { RowOf } from '../../core/storage.js';
import type {
  CaseFinding,
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

/** What becomes of stored rows of which these are computed now. `isMoved`: one that is stored elsewhere. */
export function reconciled<
  Computed extends ComputedFinding | ComputedGroupRow,
  Stored extends Computed & Decidable,
  Row,
>(
  computed: readonly Computed[],
  stored: readonly Stored[],
  { at, rowOf, isMoved = () => false }: { at: Date; rowOf(one: Computed): Row; isMoved?(before: Stored): boolean },
) {
  const left = new Map(stored.map((one) => [one.id, one]));
  const opened: string[] = [];
  const [added, changed]: [ReturnType<typeof first>[], ReturnType<typeof next>[]] = [[], []];
  const first = (one: Computed, state: FindingState) => ({ ...rowOf(one), state, found: at, revision: 1 });
  const next = (one: Computed, state: FindingState, found: { found?: Date }) => {
    return { ...rowOf(one), state, ...found, revision: { plus: 1 } };
  };
  for (const one of computed) {
    const before = left.get(one.id);
    left.delete(one.id);
    const state = stateOf(one.rests, before?.decision, at);
    const isOpened = state === 'open' && before?.state !== 'open';
    if (isOpened) opened.push(one.id);
    if (before === undefined) added.push(first(one, state));
    else if (state !== before.state || isChanged(one, before) || isMoved(before))
      changed.push(next(one, state, isOpened ? { found: at } : {}));
  }
  return { added, changed, opened, left: [...left.values()].filter(({ state }) => state !== 'gone') };
}

/** Whether a reader would see another finding. */
function isChanged<Computed extends ComputedFinding | ComputedGroupRow>(one: Computed, before: Computed): boolean {
  return JSON.stringify(computedPart(one)) !== JSON.stringify(computedPart(before));
}

function computedPart(one: ComputedFinding | ComputedGroupRow): unknown[] {
  return 'reason' in one ? [one.priority, one.rests, factsOfFinding(one)] : [one.rests, factsOfGroup(one)];
}

function factsOfFinding({ gene, allele, evidence }: ComputedFinding) {
  return { ...(gene && { gene }), ...(allele && { allele }), evidence };
}

function factsOfGroup({ subject, hgnc, assay, release, cases, panels, evidence }: ComputedGroupRow) {
  return {
    ...{ subject, release, cases, panels, evidence },
    ...(hgnc !== undefined && { hgnc }),
    ...(assay !== undefined && { assay }),
  };
}

export function findingRow(
  one: ComputedFinding,
  of: { owner?: string; case: string; caseNumber: number; panel: string },
) {
  return {
    ...{ id: one.id, caseNumber: of.caseNumber, owner: ownerColumn(of.owner), name: of.case, panel: of.panel },
    ...{ reason: one.reason, priority: one.priority, gene: one.gene?.hgnc, rests: one.rests },
    facts: factsOfFinding(one),
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
  return { id: one.id, owner: ownerColumn(one.owner), kind: one.kind, rests: one.rests, facts: factsOfGroup(one) };
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
