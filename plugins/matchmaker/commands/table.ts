/** Lists for people. */

/** Rows under headings, each column as wide as it needs. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) => cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return [headings, ...rows].map((cells) => line(cells).trimEnd());
}

/** `1 patient`, `2 patients`. */
export function many(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
