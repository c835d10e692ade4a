/** Splits tables so that every part fits on a page. */
import type { Cell, Table } from '../../report/view.js';
import { width } from './paper.js';

/** Least width of a column of weight 1, in points. */
const narrowest = 34;

/** A table, or some columns of it, that fits on a page; and the widths of its columns, in points. */
export interface Part {
  table: Table;
  widths: readonly number[];
}

/**
 * Splits a table that is too wide for a page into several, each with the first two columns. `least` are the widths that the
 * columns need, in points.
 */
export function splitColumns(table: Table, least: readonly number[]): Part[] {
  const { columns } = table;
  const room = columns.map(({ weight = 1 }, i) => Math.max(weight * narrowest, least[i] ?? 0));
  const most = width - sumOf(room.slice(0, 2));
  const groups: number[][] = [[]];
  let used = 0;
  for (const [i, own] of room.entries()) {
    if (i < 2) continue;
    if (used > 0 && used + own > most) {
      groups.push([]);
      used = 0;
    }
    groups.at(-1)?.push(i);
    used += own;
  }
  return groups.map((places) => {
    const pick = <One>(list: readonly One[]) =>
      [0, 1, ...places].flatMap((i) => (i < list.length ? [list[i] as One] : []));
    const part = groups.length === 1 ? table : { ...table, columns: pick(columns), rows: table.rows.map(pick) };
    return { table: part, widths: shares(part.columns, pick(least)) };
  });
}

/** Shares the width of a page by weight; a column that needs more gets it from the others. */
function shares(columns: Table['columns'], least: readonly number[]): number[] {
  const needed = new Set<number>();
  for (;;) {
    const others = columns.flatMap(({ weight = 1 }, i) => (needed.has(i) ? [] : [weight]));
    const left = width - sumOf([...needed].map((i) => least[i] as number));
    const ofWeight = left / sumOf(others);
    const tight = columns.flatMap(({ weight = 1 }, i) =>
      !needed.has(i) && weight * ofWeight < (least[i] as number) ? [i] : [],
    );
    if (tight.length === 0)
      return columns.map(({ weight = 1 }, i) => (needed.has(i) ? (least[i] as number) : weight * ofWeight));
    // Only words that are too long for any page need more than there is: they are broken.
    if (needed.size + tight.length === columns.length) return least.map((own) => (own / sumOf(least)) * width);
    for (const i of tight) needed.add(i);
  }
}

function sumOf(list: readonly number[]): number {
  return list.reduce((sum, one) => sum + one, 0);
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
