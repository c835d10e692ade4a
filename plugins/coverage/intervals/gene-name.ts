/** The names that people use for a gene: an HGNC id, an Ensembl id or a symbol. */
import { ensemblId } from '../../../core/genome.js';

/** A name of a request, by its kind. */
export type GeneName =
  /** `7436`, `HGNC:7436` in any case. */
  | { kind: 'hgnc'; id: number }
  /** `ENSG00000177000`, with or without version or suffix (`.14`, `.14_12`, `.14_PAR_Y`); `GeneID:4524` of RefSeq; in any case. */
  | { kind: 'ensembl'; id: string }
  /** Anything else; case-insensitive. */
  | { kind: 'symbol'; key: string };

/** Longer than any symbol or id. */
const longest = 100;

/** Undefined for text that cannot be the name of a gene: blank, too long, or with control characters. */
export function geneName(asked: string): GeneName | undefined {
  const text = asked.trim();
  if (text === '' || text.length > longest || /\p{C}/u.test(text)) return undefined;
  const number = /^(?:HGNC:\s*)?0*(\d{1,9})$/i.exec(text)?.[1];
  if (number !== undefined) return { kind: 'hgnc', id: Number(number) };
  const stable = ensemblId(text, 'ENSG');
  if (stable !== undefined) return { kind: 'ensembl', id: stable };
  const ncbi = /^GeneID:(\d{1,10})$/i.exec(text)?.[1];
  if (ncbi !== undefined) return { kind: 'ensembl', id: `GeneID:${ncbi}` };
  return { kind: 'symbol', key: symbolKey(text) };
}

/** The form in which symbols are compared. */
export function symbolKey(symbol: string): string {
  return symbol.trim().toUpperCase();
}
