/** What is so already when a statement is entered: none of it is news later. */
import type { Baseline, FormerClass, Statement } from '../contract.js';
import type { CaseEvidence, CommonKnowledge, PassingRules } from '../evidence/evidence.js';
import { among, transPairs } from './findings.js';
import { isCommon, isPathogenic, nameOf } from './passing.js';
import { sharingCases } from './recurrence.js';
import { situationOf, unlooked } from './situation.js';

export const noBaseline: Omit<Baseline, 'taken'> = {
  pathogenic: {},
  passing: [],
  deNovo: [],
  trans: [],
  calls: {},
  coverage: {},
  holes: [],
  recurrent: [],
  common: [],
  matches: [],
  terms: [],
};

/** Undefined if a part could not be read now: it is taken later. */
export function baselineOf(
  statement: Statement,
  evidence: CaseEvidence,
  rules: PassingRules,
  common: CommonKnowledge,
  taken: Date,
): Baseline | undefined {
  const unknown = unlooked(evidence);
  if (Object.values(unknown).includes('unavailable')) return undefined;
  const situation = situationOf(statement, { ...noBaseline, taken }, evidence, rules, common);
  const passing = among(situation.before, situation.genes).flatMap((gene) => situation.alleles.passing(gene));
  const recurrent = situation.genes
    .flatMap((gene) => situation.alleles.passing(gene))
    .flatMap(({ allele, gene }) => sharingCases(situation, allele, gene).map((other) => `${allele.key} ${other.case}`));
  const { coverage, calls, matches, classes } = evidence;
  const pathogenic = [...(classes.value ?? [])].flatMap(([key, known]): [string, FormerClass[]][] => {
    const former = known.filter(isPathogenic).map(({ from: _, level: __, ...one }) => one);
    return former.length > 0 ? [[key, former]] : [];
  });
  return {
    taken,
    pathogenic: Object.fromEntries(pathogenic),
    passing: passing.map(nameOf),
    deNovo: passing.filter(({ origin }) => origin === 'de novo').map(nameOf),
    trans: [...new Set(passing.flatMap(transPairs))],
    calls: Object.fromEntries([...evidence.samples].map(([sample, { stamp }]) => [sample, stamp])),
    coverage: coverage.value?.standings ?? {},
    holes: (coverage.value?.holes ?? []).map(({ isAlone: _, ...hole }) => hole),
    recurrent: [...new Set(recurrent)],
    common: (calls.value ?? []).flatMap((allele) => (isCommon(allele, rules) ? [allele.key] : [])),
    matches: (matches.value ?? []).map(({ id }) => id),
    terms: evidence.terms.value ?? statement.terms,
    ...(Object.keys(unknown).length > 0 && { unknown }),
  };
}
