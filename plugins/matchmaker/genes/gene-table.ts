/** The genes that are known, and the ids and symbols by which they are found. */

export interface Gene {
  /** 0 … size − 1; means nothing in another `Resources`. */
  number: number;
  symbol: string;
  /** `ENSG00000167468`, without version; absent where the gene has none. */
  ensembl?: string;
  /** `HGNC:4556`. */
  hgnc?: string;
  /** `2879`. */
  entrez?: string;
}

export interface GeneTable {
  readonly size: number;
  /**
   * The gene of an id in any form: `ENSG00000167468`, with version or not; `HGNC:4556`; `NCBIGene:2879` (also `Entrez:`,
   * `GeneID:`), bare digits (Entrez); a symbol in any case. An approved symbol wins over a previous one, and that over
   * an alias. Undefined where nothing fits, or where several genes had the symbol as their previous one or have it as
   * their alias: it is never guessed (`candidates` names them).
   */
  resolve(id: string): Gene | undefined;
  /** The genes among which `resolve` would have to guess, by number; empty where it need not. */
  candidates(id: string): Gene[];
  /** Throws a RangeError for a number that is none. */
  gene(number: number): Gene;
  /**
   * One spelling for ids that the table does not hold, so that they meet all the same: upper case, an Ensembl id
   * without its version, an Entrez id as `NCBIGene:<digits>`.
   */
  spelling(id: string): string;
}
