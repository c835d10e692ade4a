/** What the rules of one case read: its statement, what was so already, and what is known now, each in the form in which they ask. */

import type { PanelGeneOfReport } from '../../services/services.js';
import type { Baseline, Statement } from '../contract.js';
import type { CaseEvidence, CommonKnowledge, PassingRules, Unlooked } from '../evidence/evidence.js';
import { CarriedAlleles, type GeneOfCase } from './passing.js';

export interface Situation extends CommonKnowledge {
  statement: Statement;
  baseline: Baseline;
  evidence: CaseEvidence;
  rules: PassingRules;
  alleles: CarriedAlleles;
  /** Genes of the statement's version of the panel, and of the newer one, by HGNC id; empty if it was not looked at. */
  before: ReadonlyMap<number, PanelGeneOfReport>;
  now: ReadonlyMap<number, PanelGeneOfReport>;
  /** All of these, as the newer version has them. */
  genes: readonly GeneOfCase[];
  /** Persons whose calls are not those of the baseline. */
  recalled: readonly string[];
}

export function situationOf(
  statement: Statement,
  baseline: Baseline,
  evidence: CaseEvidence,
  rules: PassingRules,
  common: CommonKnowledge = {},
): Situation {
  const before = new Map(evidence.panel.before.value?.genes.map((gene) => [gene.hgnc, gene]));
  const now = new Map(evidence.panel.now.value?.genes.map((gene) => [gene.hgnc, gene]));
  return {
    ...common,
    statement,
    baseline,
    evidence,
    rules,
    alleles: new CarriedAlleles(statement, evidence, rules),
    before,
    now,
    genes: [...new Map([...before, ...now]).values()],
    recalled: [...evidence.samples].flatMap(([sample, { stamp }]) =>
      stamp === baseline.calls[sample] ? [] : [sample],
    ),
  };
}

/** Why parts were not looked at, by the names that statements and pages have for them. */
export function unlooked({
  panel,
  calls,
  classes,
  coverage,
  matches,
  terms,
  byTerms,
}: CaseEvidence): Record<string, Unlooked> {
  const parts = { panel: panel.before, newer: panel.now, calls, classes, coverage, matches, terms, byTerms };
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, { why }]) => (why === undefined ? [] : [[name, why]])),
  );
}
