/** Text for files that people open in spreadsheet programs, which take some of it for formulas (OWASP, CSV Injection). */

/**
 * What a spreadsheet drops before it reads a cell: quotes, blanks, tabs, and characters without width or shape. After them, a sign
 * with which a formula begins; or at the very beginning a tab or line end, after which some programs begin a cell.
 */
const formula =
  /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}"'`\p{Pi}\p{Pf}\u201A\u201E\uFF02\uFF07]*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20])/u;

/**
 * The text, with a leading apostrophe if a spreadsheet would take it for a formula. Every name that comes from outside goes through
 * it on its way into a text export, also into those that programs read (BED, MultiQC): no other text is changed.
 */
export function withoutFormula(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** A cell of CSV (RFC 4180) or TSV. Numbers come from the server and stay numbers. */
export function separatedCell(value: string | number, separator: ',' | '\t'): string {
  if (typeof value === 'number') return String(value);
  const harmless = withoutFormula(value);
  if (separator === ',') return /[",\r\n;\t]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
  const cell = harmless.replace(/[\t\r\n]+/g, ' ');
  // TSV knows no quotes, but spreadsheets do: after a leading one, the next cells would be part of this one.
  return /^\s*"/.test(cell) ? `'${cell}` : cell;
}
