/** What ClinVar's VCF says of a record in INFO. */

/**
 * Whether CLNSIG is pathogenic or likely pathogenic. It has the terms of all germline classifications, joined by `/`, `|` and
 * `,`: `Pathogenic/Likely_pathogenic|other`, `Pathogenic,_low_penetrance`. Conflicting classifications do not count, whatever
 * is joined to them.
 */
export function isPathogenic(significance: string): boolean {
  const terms = significance.split(/[|/,]/);
  if (terms.some((term) => /^conflicting_/i.test(term))) return false;
  return terms.some((term) => term === 'Pathogenic' || term === 'Likely_pathogenic');
}

/** Review stars (CLNREVSTAT), as ClinVar counts them: 0 to 4. */
export function starsOf(status: string): number {
  const terms = status.toLowerCase();
  if (terms.includes('practice_guideline')) return 4;
  if (terms.includes('reviewed_by_expert_panel')) return 3;
  if (!terms.includes('criteria_provided') || terms.includes('no_assertion')) return 0;
  return terms.includes('multiple_submitters') && terms.includes('no_conflicts') ? 2 : 1;
}

/** The symbols in GENEINFO (`BRCA1:672|NBR2:10230`), each once. */
export function genesOf(geneInfo: string): string[] {
  const symbols = geneInfo.split('|').map((entry) => entry.replace(/:\d*$/, ''));
  return [...new Set(symbols)].filter((symbol) => symbol !== '');
}
