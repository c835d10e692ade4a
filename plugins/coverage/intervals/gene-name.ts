/** What people write for a gene: a number of HGNC, an id of Ensembl, or a symbol. */

/** One item of a request, understood. */
export type GeneName =
  /** `7436`, `HGNC:7436` in any case. */
  | { kind: 'hgnc'; id: number }
  /** `ENSG00000177000`, with or without a version (`.14`), in any case. */
  | { kind: 'ensembl'; id: string }
  /** Anything else; compared without regard to case. */
  | { kind: 'symbol'; key: string };

/** Longer than any symbol or id. */
const longest = 100;

/** Undefined for what can be no gene's name: nothing but blanks, something endless, or with control characters. */
export function geneName(asked: string): GeneName | undefined {
  const text = asked.trim();
  if (text === '' || text.length > longest || /\p{C}/u.test(text)) return undefined;
  const number = /^(?:HGNC:\s*)?0*(\d{1,9})$/i.exec(text)?.[1];
  if (number !== undefined) return { kind: 'hgnc', id: Number(number) };
  const stable = /^(ENSG\d{11})(?:\.\d+)?$/i.exec(text)?.[1];
  if (stable !== undefined) return { kind: 'ensembl', id: stable.toUpperCase() };
  return { kind: 'symbol', key: symbolKey(text) };
}

/** What symbols are compared by. */
export function symbolKey(symbol: string): string {
  return symbol.trim().toUpperCase();
}
