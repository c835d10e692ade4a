/** How a person writes a gene: an HGNC id, or else a symbol. */
export function wordOf(word: string): { hgnc: number } | { hgnc?: undefined; symbol: string } {
  const digits = /^(?:HGNC:)?([1-9]\d{0,8})$/i.exec(word.trim())?.[1];
  return digits === undefined ? { symbol: word.trim() } : { hgnc: Number(digits) };
}
