/** Rows in PostgreSQL's text format for COPY (PostgreSQL documentation, "COPY", File Formats). */
import type { Scalar } from '../knex/binding.js';

/** Characters in one chunk of the stream. */
const piece = 65_536;

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

export function* copyText(rows: Iterable<readonly Scalar[]>): Generator<string> {
  let text = '';
  for (const row of rows) {
    for (let i = 0; i < row.length; i++) text += (i === 0 ? '' : '\t') + field(row[i] ?? null);
    text += '\n';
    if (text.length >= piece) {
      yield text;
      text = '';
    }
  }
  if (text.length > 0) yield text;
}

function field(value: Scalar): string {
  if (value === null) return '\\N';
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (typeof value === 'string') return escaped(value);
  return String(value);
}

function escaped(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character) : text;
}
