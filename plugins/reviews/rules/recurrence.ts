/** Findings from what was seen in other cases here: an allele that they share, and one that turned out to be common. */
import { alleleKey } from '../contract.js';
import type { CarriedAllele } from '../evidence/evidence.js';
import type { Draft } from './drafts.js';
import { type GeneOfCase, isCommon } from './passing.js';
import type { Situation } from './situation.js';

/**
 * Other cases in which the allele fits the gene in an affected person with a term in common, and these terms. None if one of them is
 * solved by something else. One copy where two are needed is what chance brings.
 */
export function sharingCases(situation: Situation, allele: CarriedAllele, gene: GeneOfCase) {
  const { statement, evidence, alleles, isSolvedOtherwise } = situation;
  const own = new Set(statement.persons.map(({ sample }) => sample));
  const terms = [...new Set([...(evidence.terms.value ?? []), ...statement.terms])];
  const found = new Map<string, Set<string>>();
  const related = new Set(allele.others.flatMap((other) => (own.has(other.sample) ? [other.case] : [])));
  const isEnough = alleles.isEnough(allele, gene);
  for (const other of allele.others) {
    if (own.has(other.sample) || related.has(other.case) || other.affected !== true) continue;
    if (!isEnough && !other.whole.includes(gene.hgnc)) continue;
    const shared = terms.filter((term) => other.phenotypes.some((one) => isShared(situation, term, one)));
    if (shared.length === 0) continue;
    if (isSolvedOtherwise?.(other.sample, allele.key)) return [];
    found.set(other.case, new Set([...(found.get(other.case) ?? []), ...shared]));
  }
  return [...found].map(([name, shared]) => ({ case: name, shared: [...shared].sort() }));
}

/** The same term, or one that is the other in particular. */
function isShared({ lineageOf }: Situation, one: string, two: string): boolean {
  return one === two || (lineageOf !== undefined && (lineageOf(one).includes(two) || lineageOf(two).includes(one)));
}

/** In genes that a newer version of the panel adds, the finding about that has these cases: it was not observations that grew. */
export function recurrences(situation: Situation): Draft[] {
  const { statement, baseline, evidence, before, genes, alleles, rules } = situation;
  const known = new Set(baseline.recurrent);
  const own = genes.filter(({ hgnc }) => before.has(hgnc));
  const shared = own.flatMap((gene) =>
    alleles.passing(gene).flatMap((passing): Draft[] => {
      const others = sharingCases(situation, passing.allele, gene);
      if (others.every((other) => known.has(`${passing.allele.key} ${other.case}`))) return [];
      return [{ passing, others, before: {}, now: { local: countText(passing.allele) }, rests: [], priority: 5 }];
    }),
  );
  const listed = new Set(statement.alleles.map(alleleKey));
  const common = (evidence.calls.value ?? []).flatMap((allele): Draft[] => {
    if (!listed.has(allele.key) || baseline.common.includes(allele.key) || !isCommon(allele, rules)) return [];
    const now = { local: `common: ${countText(allele)}` };
    return [{ about: ['common', allele.key], carried: allele, before: { local: 'rare' }, now, rests: [], priority: 5 }];
  });
  return [...shared, ...common];
}

function countText({ local: { carriers, covered, samples } }: CarriedAllele): string {
  return `${carriers} of ${covered ? covered.covered : samples}`;
}
