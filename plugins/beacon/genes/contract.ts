/** beacon-genes@1: the places of the genes of an assembly, for loading only the alleles of some genes. */
import { type Contract, defineContract } from '../../../core/storage.js';
import { type Assembly, type Contig, contigs } from '../domain/allele.js';

export interface Gene {
  /** Stable id of Ensembl without its version: `ENSG00000128513`. */
  ensembl: string;
  /** Number of the HUGO Gene Nomenclature Committee: 17284 for `HGNC:17284`; absent if it has none. */
  hgnc?: number;
  symbol?: string;
  contig: Contig;
  /** Zero-based half-open, in bases. */
  start: number;
  end: number;
}

export const geneIdTypes = ['HGNC', 'Ensembl'] as const;
export type GeneIdType = (typeof geneIdTypes)[number];

/** Ids of one kind, any number of them. */
export type GeneIds =
  | { type: 'HGNC'; ids: readonly number[] }
  /** As stored: upper case, without version. */
  | { type: 'Ensembl'; ids: readonly string[] }
  /** In any case: see `symbolKey`. */
  | { type: 'symbol'; ids: readonly string[] };

/** Equal for two spellings of a symbol that differ by the case of the letters A–Z alone. */
export function symbolKey(symbol: string): string {
  return symbol.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** The genes of an assembly as last replaced. */
export interface GeneRelease {
  genes: number;
  updated: Date;
}

export interface GeneRepository {
  /**
   * Replaces all genes of the assembly, visible at once; after any failure the old ones are there. An id may have several
   * places (on X and Y, for example), and is then several genes.
   */
  replaceGenes(assembly: Assembly, genes: readonly Gene[], now: Date): Promise<void>;
  /** The genes of the assembly with one of these ids or symbols, each once, by contig as in `contigs`, start, end and Ensembl id. */
  genes(assembly: Assembly, wanted: GeneIds): Promise<Gene[]>;
  /** Undefined if the assembly never had genes. */
  release(assembly: Assembly): Promise<GeneRelease | undefined>;
}

export const beaconGenes: Contract<GeneRepository> = defineContract<GeneRepository>('beacon-genes@1', {
  replaceGenes: 'needed',
  genes: 'needed',
  release: 'needed',
});

/** Compares by the order of the result of `genes`. */
export function byPlace(left: Gene, right: Gene): number {
  return (
    contigs.indexOf(left.contig) - contigs.indexOf(right.contig) ||
    left.start - right.start ||
    left.end - right.end ||
    (left.ensembl < right.ensembl ? -1 : Number(left.ensembl > right.ensembl))
  );
}
