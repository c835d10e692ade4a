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
import { type findings, type groups, ownerColumn, ownerOf, type StoredDecision } from './stored-rows.js';

/** The state of a finding that holds now, after the last decision about it. */
export function stateOf(rests: string, decision: ReviewDecision | undefined, at: Date): FindingState {
  if (decision === undefined || decision.rests !== rests) return 'open';
  if (decision.outcome !== 'later') return 'decided';
  return decision.until !== undefined && decision.until <= at ? 'open' : 'later';
}

/** Whether a reader would see another finding. */
export function isChanged<Computed extends ComputedFinding | ComputedGroupRow>(
  one: Computed,
  before: Computed,
): boolean {
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
  return { state: state as FindingState, found, revision, ...(decision && { decision: decisionOf(decision) }) };
}

function decisionOf({ at = '', until, ...rest }: StoredDecision): ReviewDecision {
  return { ...rest, at: new Date(at), ...(until !== undefined && { until: new Date(until) }) };
}
