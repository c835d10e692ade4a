/** Where genes lie, and which parts of them are exons, for other plugins, which see these types only. */
import type { Build, Chromosome, Place, Span, Strand } from '../intervals/interval.js';

/** The service `coverage/gene-structures@1`. */
export interface GeneStructures {
  /**
   * The genes that an HGNC id, Ensembl id or symbol means in this build, by position: several if its places are several. Empty
   * if there is none, or if a symbol is ambiguous.
   */
  named(build: Build, name: string, signal: AbortSignal): Promise<readonly GeneStructure[]>;
  /**
   * The genes that share a base with a stretch (zero-based, half-open, at least one base), those that code for proteins first,
   * then by position; `most` at most.
   */
  at(
    build: Build,
    chromosome: Chromosome,
    stretch: Span,
    options: { most: number; signal: AbortSignal },
  ): Promise<readonly GeneStructure[]>;
}

export interface GeneStructure extends Place {
  /** Stable id without version: `ENSG00000177000`. */
  ensembl: string;
  /** 7436 for `HGNC:7436`. */
  hgnc?: number;
  symbol?: string;
  strand?: Strand;
  /** The transcript that is drawn: the first of those preferred for reports; absent if none is loaded. */
  transcript?: string;
  /** Its exons by position; empty if none are loaded. */
  exons: readonly Span[];
}
