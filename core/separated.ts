/** Cells of CSV (RFC 4180) and TSV, safe to open in spreadsheet programs. */

/**
 * Text that a spreadsheet would take for a formula (OWASP, CSV Injection) gets a leading apostrophe, which such programs
 * do not show. Numbers come from the server and stay numbers.
 */
export function separatedCell(value: string | number, separator: ',' | '\t'): string {
  if (typeof value === 'number') return String(value);
  // Programs that split at other separators may begin a cell after any of them.
  const harmless = /^[\s\p{Cf}]*[=+\-@\t\r\uFF0B\uFF0D\uFF1D\uFF20]/u.test(value) ? `'${value}` : value;
  if (separator === '\t') return harmless.replace(/[\t\r\n]+/g, ' ');
  return /[",\r\n;\t]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
