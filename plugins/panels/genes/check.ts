/** What a release of gene names means for panels: which of their genes have another symbol by now, or are no genes any more. */
import type { PanelGene } from '../domain/content.js';
import type { GeneTable } from './gene-table.js';

export interface GeneFinding {
  hgnc: number;
  /** As the panel has it. */
  symbol: string;
  /**
   * `renamed` is harmless; a `merged` gene is one other gene now; a gene that is `withdrawn` (or split, or unknown) needs a decision;
   * `non-coding` genes have no coding bases to report on; a gene that is `elsewhere` is not on the chromosomes of the reference.
   * `no-coordinates` and `transcript` are of what is loaded for a build (`coordinates.ts`).
   */
  what: 'renamed' | 'merged' | 'withdrawn' | 'non-coding' | 'elsewhere' | 'no-coordinates' | 'transcript';
  text: string;
}

/** What each finding takes, for people; `unmapped` are entries for which no gene is certain. */
export const remedies: Readonly<Record<GeneFinding['what'] | 'unmapped', string>> = {
  unmapped: 'name the gene of the entry in the draft, or drop the entry; until then it blocks signing',
  withdrawn: 'replace or remove the gene in the draft, or in a new version; until then it blocks signing',
  merged: 'make a new version, which has the gene that it became; reports do not find the former id',
  renamed: 'nothing; reports find the gene by its id, and a new version has the new symbol',
  'non-coding': 'nothing; reports measure its exons',
  elsewhere: 'use another method; reports list the gene as not covered',
  'no-coordinates':
    'load intervals that have the gene (`trefoil coverage load-gtf`); until then reports list it as not covered',
  transcript:
    'load intervals that have the transcript, or want another in a new version; until then reports use what is loaded',
};

/** Findings on these genes, in their order. Those that are `withdrawn` block a signature. */
export function checkGenes(genes: readonly Pick<PanelGene, 'hgnc' | 'symbol'>[], table: GeneTable): GeneFinding[] {
  return genes.flatMap(({ hgnc, symbol }): GeneFinding[] => {
    const found = table.resolve({ hgnc });
    if (!('gene' in found)) return [{ hgnc, symbol, what: 'withdrawn', text: found.why }];
    const { gene, note } = found;
    if (gene.hgnc !== hgnc) return [{ hgnc, symbol, what: 'merged', text: note ?? `is HGNC:${gene.hgnc} now` }];
    const findings: GeneFinding[] = [];
    if (gene.symbol !== symbol)
      findings.push({ hgnc, symbol, what: 'renamed', text: `${symbol} is now ${gene.symbol}` });
    if (!gene.coding) {
      findings.push({ hgnc, symbol, what: 'non-coding', text: `${gene.symbol} is not a protein-coding gene` });
    }
    if (gene.elsewhere !== undefined) {
      const text = `${gene.symbol} is not on the chromosomes of the reference (HGNC: ${gene.elsewhere})`;
      findings.push({ hgnc, symbol, what: 'elsewhere', text });
    }
    return findings;
  });
}
