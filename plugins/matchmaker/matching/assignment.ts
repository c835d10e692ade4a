/** Best assignment: the Hungarian method with potentials (Kuhn 1955; O(rows² · columns)). */

/**
 * Assigns rows to columns, each at most once, so that the sum of the gains (whole numbers, none below 0) is the
 * greatest there is. Answers the column of each row, −1 where it got none. Of several best ones always the same.
 */
export function bestAssignment(gains: readonly (readonly number[])[]): number[] {
  const rows = gains.length;
  const columns = gains[0]?.length ?? 0;
  if (rows > columns) {
    const turned = Array.from({ length: columns }, (_, column) => gains.map((row) => row[column] ?? 0));
    const found: number[] = new Array(rows).fill(-1);
    bestAssignment(turned).forEach((row, column) => {
      if (row >= 0) found[row] = column;
    });
    return found;
  }
  const rowPotential = new Float64Array(rows + 1);
  const columnPotential = new Float64Array(columns + 1);
  const rowOf = new Int32Array(columns + 1); // rows and columns count from 1; 0 is none
  for (let row = 1; row <= rows; row++) {
    const slack = new Float64Array(columns + 1).fill(Infinity);
    const before = new Int32Array(columns + 1);
    const visited = new Uint8Array(columns + 1);
    rowOf[0] = row;
    let column = 0;
    do {
      visited[column] = 1;
      const current = rowOf[column] as number;
      let least = Infinity;
      let next = 0;
      for (let other = 1; other <= columns; other++) {
        if (visited[other]) continue;
        const cost = -(gains[current - 1]?.[other - 1] ?? 0);
        const reduced = cost - (rowPotential[current] as number) - (columnPotential[other] as number);
        if (reduced < (slack[other] as number)) {
          slack[other] = reduced;
          before[other] = column;
        }
        if ((slack[other] as number) < least) {
          least = slack[other] as number;
          next = other;
        }
      }
      for (let other = 0; other <= columns; other++) {
        if (visited[other]) {
          rowPotential[rowOf[other] as number] = (rowPotential[rowOf[other] as number] as number) + least;
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
  const found: number[] = new Array(rows).fill(-1);
  for (let column = 1; column <= columns; column++) {
    const row = (rowOf[column] as number) - 1;
    if (row >= 0 && (gains[row]?.[column - 1] ?? 0) > 0) found[row] = column - 1;
  }
  return found;
}
