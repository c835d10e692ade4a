/** Text for a terminal: tables, and counts with their noun. */

/** The width to which cells are padded at most: one cell of many names would else fill up every line of a long table. */
const widest = 200;

/** The lines of a table, each column as wide as its widest cell, or 200 characters if that is less. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map(({ length }, i) =>
    rows.reduce((width, row) => Math.max(width, Math.min(row[i]?.length ?? 0, widest)), length),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(headings), ...rows.map(line)];
}

/** `1 patient`, `2 patients`; `what` is the singular. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** The most lines of one kind that are printed. */
const mostLines = 20;

/**
 * The lines of the first 20 of a kind, and one that says how many there are if there are more. `all` is their number if not
 * all are given, `what` their name in the plural.
 */
export function firstLines<Item>(
  items: readonly Item[],
  { line, all = items.length, what }: { line: (item: Item) => string; all?: number; what: string },
): string[] {
  const first = items.slice(0, mostLines).map(line);
  return all > first.length ? [...first, `${all - first.length} more ${what}, ${all} in all`] : first;
}
