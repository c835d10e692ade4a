/** Splits tables so that every part fits on a page. */
import type { Cell, Table } from '../../report/view.js';
import { width } from './paper.js';

/** Least width of a column of weight 1, in points. */
const narrowest = 34;

/** Splits a table that is too wide for a page into several, each with the first two columns. */
export function splitColumns(table: Table): Table[] {
  const [first, ...rest] = [table.columns.slice(0, 2), ...table.columns.slice(2).map((column) => [column])];
  const weightOf = (columns: Table['columns']) => columns.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const most = width / narrowest - weightOf(first ?? []);
  const groups: number[][] = [[]];
  let used = 0;
  for (const [i, columns] of rest.entries()) {
    const weight = weightOf(columns);
    if (used > 0 && used + weight > most) {
      groups.push([]);
      used = 0;
    }
    groups.at(-1)?.push(i + 2);
    used += weight;
  }
  if (groups.length === 1) return [table];
  return groups.map((places) => {
    const pick = <One>(list: readonly One[]) => [0, 1, ...places].map((i) => list[i] as One);
    return { ...table, columns: pick(table.columns), rows: table.rows.map(pick) };
  });
}

/** Most entries of a list and most characters of a text in one row. */
const [listRows, rowCharacters] = [30, 1500];

/** Splits a row with long cells into several, so that each fits on a page. */
export function splitRow(row: readonly Cell[]): (readonly Cell[])[] {
  const parts = row.map(partsOf);
  const count = Math.max(...parts.map(({ length }) => length));
  if (count === 1) return [row];
  return Array.from({ length: count }, (_, i) =>
    parts.map(
      (cells) => cells[i] ?? (cells.length === 1 ? { ...(cells[0] as Cell), again: true } : { text: '', value: '' }),
    ),
  );
}

function partsOf(cell: Cell): Cell[] {
  const { list, text } = cell;
  if (list !== undefined && list.length > listRows) {
    const count = Math.ceil(list.length / listRows);
    return Array.from({ length: count }, (_, i) => ({ ...cell, list: list.slice(i * listRows, (i + 1) * listRows) }));
  }
  if (list !== undefined || text.length <= rowCharacters) return [cell];
  const pieces = text.match(new RegExp(`.{1,${rowCharacters}}(?:\\s|$)|.{1,${rowCharacters}}`, 'gsu')) ?? [text];
  return pieces.map((piece) => ({ ...cell, text: piece.trim() }));
}
