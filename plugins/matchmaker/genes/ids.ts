/** The forms of gene ids. */

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
