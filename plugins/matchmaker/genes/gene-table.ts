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

export type GeneId = { type: 'ensembl' | 'hgnc' | 'entrez'; number: number } | { type: 'symbol'; symbol: string };

/** Ids are stored as 32-bit numbers: of its eleven digits Ensembl uses only the last few so far. */
const largest = 0xffff_ffff;

/** Parses any form; what is not an id of a known kind is a symbol, in upper case. */
export function geneId(text: string): GeneId {
  const id = text.trim();
  const number = ensemblNumber(id);
  if (number !== undefined) return { type: 'ensembl', number };
  const [, prefix = '', digits] = /^(?:(HGNC|NCBIGene|NCBI_?Gene|Entrez|GeneID)[:_])?(\d{1,10})$/i.exec(id) ?? [];
  if (digits === undefined || Number(digits) > largest) return { type: 'symbol', symbol: id.toUpperCase() };
  return { type: prefix.toUpperCase() === 'HGNC' ? 'hgnc' : 'entrez', number: Number(digits) };
}

/** The number of `ENSG00000167468`, with or without version and the suffix `_PAR_Y`; undefined for anything else. */
function ensemblNumber(id: string): number | undefined {
  const digits = /^ENSG(\d{11})(?:\.\d+)?(?:_PAR_Y)?$/i.exec(id)?.[1];
  return digits !== undefined && Number(digits) <= largest ? Number(digits) : undefined;
}

/** How ids are written in responses. */
export function written(id: GeneId): string {
  switch (id.type) {
    case 'ensembl':
      return `ENSG${String(id.number).padStart(11, '0')}`;
    case 'hgnc':
      return `HGNC:${id.number}`;
    case 'entrez':
      return `NCBIGene:${id.number}`;
    case 'symbol':
      return id.symbol;
  }
}
