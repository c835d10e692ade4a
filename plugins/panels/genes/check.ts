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
