/** Conditions and orders of declared tables as SQL; one text for each shape. */
import type { KeptRow, TableDeclaration, Test, Tests } from '../../core/storage.js';
import type { Engine, Scalar } from './binding.js';
import { boundOf, columnName } from './stored-table.js';

/** A condition, with the values of its placeholders; an empty one is true of every row. */
export type SqlCondition = readonly [sql: string, bindings: readonly Scalar[]];

/** One of the alternatives holds, and the row has none of the keys of `except`. */
export function conditionOf(
  engine: Engine,
  declaration: TableDeclaration,
  tests: Tests,
  except: readonly KeptRow[] = [],
): SqlCondition {
  const parts = tests.some((all) => all.length === 0) ? [] : [someOf(engine, declaration, tests)];
  for (const key of except) {
    const [sql, bindings] = withKey(engine, declaration, key);
    parts.push([`not (${sql})`, bindings]);
  }
  return [parts.map(([sql]) => sql).join(' and '), parts.flatMap(([, bindings]) => bindings)];
}

function someOf(engine: Engine, declaration: TableDeclaration, tests: Tests): SqlCondition {
  const alternatives = tests.map((all): SqlCondition => {
    const parts = all.map((test) => conditionOn(engine, declaration, test));
    return [parts.map(([sql]) => sql).join(' and '), parts.flatMap(([, bindings]) => bindings)];
  });
  const bindings = alternatives.flatMap(([, bound]) => bound);
  if (alternatives.length === 0) return ['1 = 0', []];
  const texts = alternatives.map(([sql]) => sql);
  return [texts.length === 1 ? `${texts}` : `(${texts.map((sql) => `(${sql})`).join(' or ')})`, bindings];
}

function conditionOn({ values, among }: Engine, { columns }: TableDeclaration, test: Test): SqlCondition {
  const column = columnName(test.column);
  const bound = (value: Parameters<typeof boundOf>[2]) => boundOf(values, columns[test.column]?.kind, value) as Scalar;
  if (test.is === 'absent') return [`${column} is null`, []];
  if (test.is === 'beginning') return beginningWith(column, test.value);
  if (test.is !== 'among') return [`${column} ${test.is} ?`, [bound(test.value)]];
  const { sql, bindings } = among(column, [...test.values].map(bound));
  return [sql, bindings];
}

export function withKey({ values }: Engine, { columns }: TableDeclaration, key: KeptRow): SqlCondition {
  const names = Object.keys(key);
  return [
    names.map((name) => `${columnName(name)} = ?`).join(' and '),
    names.map((name) => boundOf(values, columns[name]?.kind, key[name]) as Scalar),
  ];
}

export function orderBy(columns: readonly string[], descending?: boolean): string {
  return columns.map((name) => `${columnName(name)}${descending ? ' desc' : ''}`).join(', ');
}

const lastCharacter = 0x10ffff;

/** As a range, which an index has: up to the first text that comes after all that begin so. */
function beginningWith(column: string, begin: string): SqlCondition {
  const points = [...begin].map((one) => one.codePointAt(0) as number);
  while (points.at(-1) === lastCharacter) points.pop();
  const last = points.pop();
  if (last === undefined) return [`${column} >= ?`, [begin]];
  // Halves of pairs are no characters.
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return [`${column} >= ? and ${column} < ?`, [begin, String.fromCodePoint(...points, next)]];
}
