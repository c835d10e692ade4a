/** A table as CSV (RFC 4180) or TSV, safe to open in spreadsheet programs. */
import { Pace } from '../domain/pace.js';
import type { LongTable } from '../report/view.js';

export type Separator = ',' | '\t';

/** Least length of one piece, in characters. */
const pieceLength = 32_768;

/**
 * Yields the table in pieces, with pauses for other requests. The first line has the keys of the columns; lines end with
 * CRLF in CSV (RFC 4180) and LF in TSV.
 */
export async function* separated({ columns, rows }: LongTable, separator: Separator): AsyncGenerator<string> {
  const end = separator === ',' ? '\r\n' : '\n';
  const line = (cells: readonly (string | number)[]) =>
    cells.map((cell) => written(cell, separator)).join(separator) + end;
  const pace = new Pace();
  let text = line(columns.map(({ key }) => key));
  for (const row of rows) {
    text += line(row.map(({ value }) => value));
    if (text.length < pieceLength) continue;
    yield text;
    text = '';
    await pace.turn();
  }
  yield text;
}

/**
 * Text that a spreadsheet would take for a formula (OWASP, CSV Injection) gets a leading apostrophe, which such programs
 * do not show. Numbers come from the server and stay numbers.
 */
function written(value: string | number, separator: Separator): string {
  if (typeof value === 'number') return String(value);
  // Programs that split at other separators may begin a cell after any of them.
  const harmless = /^[\s\p{Cf}]*[=+\-@\t\r\uFF0B\uFF0D\uFF1D\uFF20]/u.test(value) ? `'${value}` : value;
  if (separator === '\t') return harmless.replace(/[\t\r\n]+/g, ' ');
  return /[",\r\n;\t]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
