/** The optimal assignment by the Hungarian method with potentials (Kuhn 1955; O(rows² · columns)). */
import type { Work } from './work.js';

/** Greater than any difference of gains. */
const endless = 2 ** 30;

/**
 * Assigns rows to columns, each at most once, so that the sum of the gains is greatest. Gains are whole numbers from 0 to
 * 2²⁸, row after row. Returns the column of each row, −1 if it has none. Deterministic if several assignments are optimal.
 *
 * With r rows and c columns that have any gain, and r ≤ c, it visits c · r · (r + 1) / 2 cells at most, and c · r if all
 * gains are equal: of columns with the same cost it prefers an unassigned one.
 */
export function bestAssignment(gains: Int32Array, columns: number, work?: Work): Int32Array {
  const rows = columns === 0 ? 0 : gains.length / columns;
  const gain = (row: number, column: number) => gains[row * columns + column] as number;
  const all = (count: number) => Array.from({ length: count }, (_, i) => i);
  const usedColumns = all(columns).filter((column) => all(rows).some((row) => gain(row, column) > 0));
  const usedRows = all(rows).filter((row) => usedColumns.some((column) => gain(row, column) > 0));
  const found = new Int32Array(rows).fill(-1);
  const isWide = usedRows.length <= usedColumns.length;
  const [few, many] = isWide ? [usedRows, usedColumns] : [usedColumns, usedRows];
  const costs = new Int32Array(few.length * many.length);
  few.forEach((one, i) => {
    many.forEach((other, j) => {
      costs[i * many.length + j] = -(isWide ? gain(one, other) : gain(other, one));
    });
  });
  cheapest(costs, few.length, many.length, work).forEach((j, i) => {
    const [one, other] = [few[i] as number, many[j] as number];
    const [row, column] = isWide ? [one, other] : [other, one];
    if (gain(row, column) > 0) found[row] = column;
  });
  return found;
}

/** The column of each row. There must not be more rows than columns. */
function cheapest(costs: Int32Array, rows: number, columns: number, work: Work | undefined): Int32Array {
  const rowPotential = new Int32Array(rows + 1);
  const columnPotential = new Int32Array(columns + 1);
  const rowOf = new Int32Array(columns + 1); // rows and columns count from 1; 0 means unassigned
  const slack = new Int32Array(columns + 1);
  const before = new Int32Array(columns + 1);
  const visited = new Uint8Array(columns + 1);
  for (let row = 1; row <= rows; row++) {
    slack.fill(endless);
    visited.fill(0);
    rowOf[0] = row;
    let column = 0;
    do {
      work?.spend(columns);
      visited[column] = 1;
      const current = rowOf[column] as number;
      const base = (current - 1) * columns - 1;
      const potential = rowPotential[current] as number;
      let least = endless;
      let next = 0;
      for (let other = 1; other <= columns; other++) {
        if (visited[other] === 1) continue;
        const reduced = (costs[base + other] as number) - potential - (columnPotential[other] as number);
        if (reduced < (slack[other] as number)) {
          slack[other] = reduced;
          before[other] = column;
        }
        const here = slack[other] as number;
        if (here < least || (here === least && rowOf[other] === 0 && rowOf[next] !== 0)) {
          least = here;
          next = other;
        }
      }
      for (let other = 0; other <= columns; other++) {
        if (visited[other] === 1) {
          const taker = rowOf[other] as number;
          rowPotential[taker] = (rowPotential[taker] as number) + least;
          columnPotential[other] = (columnPotential[other] as number) - least;
        } else {
          slack[other] = (slack[other] as number) - least;
        }
      }
      column = next;
    } while (rowOf[column] !== 0);
    while (column !== 0) {
      const earlier = before[column] as number;
      rowOf[column] = rowOf[earlier] as number;
      column = earlier;
    }
  }
  const found = new Int32Array(rows);
  for (let column = 1; column <= columns; column++) {
    const row = (rowOf[column] as number) - 1;
    if (row >= 0) found[row] = column - 1;
  }
  return found;
}
