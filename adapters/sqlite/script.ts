/**
 * Several statements in one call of the sqlite3 module, which hands each call to another thread and back: a transaction of
 * short statements spends most of its time so. `exec` takes no values, so they are written into the text.
 */
import type { Scalar, Statement } from '../knex/binding.js';
import type { Script } from '../knex/driver.js';
import { execute } from './connection.js';

export const script: Script = {
  run: (connection, statements) => execute(connection, statements.map(written).join(';\n')),
  // SQLite does not read every fraction back to the last bit.
  canWrite: (bindings) => bindings.every((value) => typeof value !== 'number' || Number.isSafeInteger(value)),
  commit: { sql: 'commit', bindings: [] },
};

/** The statement with its values in place of the question marks, of which none may be in a literal of its text. */
export function written({ sql, bindings }: Statement): string {
  const [first = '', ...rest] = sql.split('?');
  if (rest.length !== bindings.length) throw new Error('a statement has as many placeholders as values');
  return rest.reduce((text, part, i) => `${text}${literal(bindings[i] as Scalar)}${part}`, first);
}

/** SQLite's literals (https://www.sqlite.org/lang_expr.html): in text, only the quote is doubled. */
function literal(value: Scalar): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  return `(${Number(value)})`;
}
