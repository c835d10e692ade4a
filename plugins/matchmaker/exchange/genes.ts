/** Genes that two patients have in common. */
import type { Patient } from '../contract.js';
import type { GeneTable } from '../genes/gene-table.js';
import { geneKey } from '../patient/facts.js';

/** Symbols, or ids where the gene is not known; in the order of the first patient. */
export function sharedGenes(one: Patient, other: Patient, genes: GeneTable): string[] {
  const keys = new Set((other.genomicFeatures ?? []).map(({ gene }) => geneKey(gene, genes)));
  const shared = (one.genomicFeatures ?? [])
    .filter(({ gene }) => gene.id.trim() !== '' && keys.has(geneKey(gene, genes)))
    .map(({ gene }) => genes.resolve(gene.id)?.symbol ?? gene.id);
  return [...new Set(shared)];
}
