/** What the rules of one case read: its statement, what was so already, and what is known now, each in the form in which they ask. */

import type { PanelGeneOfReport } from '../../services/services.js';
import type { Baseline, Statement } from '../contract.js';
import type { CaseEvidence, CommonKnowledge, PassingRules, Unlooked } from '../evidence/evidence.js';
import { type PanelPair, panelPair } from '../evidence/panel-versions.js';
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
  /** Those of both in which something is known of the case, alleles or holes, as the newer version has them; in its order. */
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
  const pair = panelPair(evidence.panel.before.value, evidence.panel.now.value);
  const alleles = new CarriedAlleles(statement, evidence, rules);
  const known = new Set(evidence.coverage.value?.holes.map(({ hgnc }) => hgnc));
  for (const gene of alleles.genesIn(pair)) known.add(gene);
  return {
    ...common,
    statement,
    baseline,
    evidence,
    rules,
    alleles,
    before: pair.before,
    now: pair.now,
    genes: inOrder(pair, known),
    recalled: [...evidence.samples].flatMap(([sample, { stamp }]) =>
      stamp === baseline.calls[sample] ? [] : [sample],
    ),
  };
}

function inOrder({ genes, orderOf }: PanelPair, wanted: ReadonlySet<number>): PanelGeneOfReport[] {
  const own = [...wanted].filter((hgnc) => genes.has(hgnc));
  own.sort((one, other) => (orderOf.get(one) ?? 0) - (orderOf.get(other) ?? 0));
  return own.map((hgnc) => genes.get(hgnc) as PanelGeneOfReport);
}

/** Why parts were not looked at, by the names that statements and pages have for them. */
export function unlooked({ panel, ...evidence }: CaseEvidence): Record<string, Unlooked> {
  const { calls, classes, coverage, matches, terms, byTerms } = evidence;
  const parts = { panel: panel.before, newer: panel.now, calls, classes, coverage, matches, terms, byTerms };
  const found = Object.entries(parts).flatMap(([name, { why }]) => (why === undefined ? [] : [[name, why] as const]));
  return Object.fromEntries(found);
}
