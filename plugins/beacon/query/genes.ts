/** Finds genes by their names, in those that the beacon has, else in those of the coverage plugin. */
import { ensemblId } from '../../../core/genome.js';
import type { GeneStructures } from '../../services/coverage.js';
import type { Assembly, Contig, GeneIds, GeneRepository } from '../contract.js';
import { hgncId } from '../genes/rows.js';

/** Where a gene lies: zero-based half-open, in bases. */
export interface GenePlace {
  contig: Contig;
  start: number;
  end: number;
}

/** The places of a gene by symbol, HGNC id or Ensembl id; none if it is unknown. */
export type FindGene = (assembly: Assembly, name: string, signal: AbortSignal) => Promise<readonly GenePlace[]>;

/** The key under which the coverage plugin offers its genes. */
export const geneStructuresKey = 'coverage/gene-structures@1';

interface GeneSources {
  genes: Pick<GeneRepository, 'genes'>;
  /** Undefined without the coverage plugin. */
  structures(): Promise<GeneStructures | undefined>;
}

export function geneFinder({ genes, structures }: GeneSources): FindGene {
  return async (assembly, name, signal) => {
    const own = await genes.genes(assembly, idsNamed(name.trim()));
    if (own.length > 0) return own;
    const others = (await (await structures())?.named(assembly, name.trim(), signal)) ?? [];
    return others.map(({ chromosome, start, end }) => ({ contig: chromosome, start, end }));
  };
}

function idsNamed(name: string): GeneIds {
  const ensembl = ensemblId(name, 'ENSG');
  if (ensembl !== undefined) return { type: 'Ensembl', ids: [ensembl] };
  const hgnc = hgncId(name);
  if (hgnc !== undefined) return { type: 'HGNC', ids: [hgnc] };
  return { type: 'symbol', ids: [name] };
}
