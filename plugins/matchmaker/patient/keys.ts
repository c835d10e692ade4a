/** Keys by which genes, variants and submitters are compared and counted. */
import { createHash } from 'node:crypto';
import type { GeneTable } from '../genes/gene-table.js';
import type { Gene, Variant } from './patient.js';

/** What identifies a person is stored as a digest only: it is compared, and never read. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

export function submitterOf(href: string): string {
  return digest(href.toLowerCase());
}

/** The same key for all ids and symbols of a gene. */
export function geneKey({ id }: Gene, genes: GeneTable): string {
  const gene = genes.resolve(id);
  return gene === undefined ? genes.spelling(id) : (gene.ensembl ?? gene.hgnc ?? gene.symbol);
}

/** The same key for the same variant. Its members may be of any type, as other nodes send them. */
export function variantKey({ assembly, referenceName, start, end, referenceBases, alternateBases }: Variant): string {
  const position = [String(assembly).replace(/\.p\d+$/, ''), referenceName === 'M' ? 'MT' : referenceName, start, end];
  return digest([...position, upper(referenceBases), upper(alternateBases)].join(' '));
}

function upper(bases: string | undefined): string {
  return String(bases ?? '').toUpperCase();
}
