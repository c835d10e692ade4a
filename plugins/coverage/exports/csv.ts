/** A table as CSV (RFC 4180) or TSV, safe to open in spreadsheet programs. */
import { separatedCell } from '../../../core/plugin.js';
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
    cells.map((cell) => separatedCell(cell, separator)).join(separator) + end;
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
