/** Genes, and the ids and symbols by which they are found. */

export interface Gene {
  /** 0 … size − 1; valid within one `Resources` only. */
  readonly number: number;
  readonly symbol: string;
  /** `ENSG00000167468`, without version; undefined if the gene has none. */
  readonly ensembl?: string;
  /** `HGNC:4556`. */
  readonly hgnc?: string;
  /** `2879`. */
  readonly entrez?: string;
}

export interface GeneTable {
  readonly size: number;
  /**
   * The gene of an id in any form: `ENSG00000167468`, with or without version; `HGNC:4556`; `NCBIGene:2879` (also `Entrez:`,
   * `GeneID:`), bare digits (Entrez); a symbol in any case. An approved symbol takes precedence over a previous one, and that
   * over an alias. Undefined if unknown, or ambiguous: a previous symbol or alias of several genes is never guessed
   * (`candidates` names them).
   */
  resolve(id: string): Gene | undefined;
  /** The genes that an ambiguous symbol can mean, by number; empty if it is not ambiguous. */
  candidates(id: string): Gene[];
  /** Throws a RangeError if no gene has the number. */
  gene(number: number): Gene;
  /**
   * The normal spelling of an id that the table lacks, so that its spellings match: upper case, an Ensembl id without
   * version, an Entrez id as `NCBIGene:<digits>`.
   */
  spelling(id: string): string;
}
