/** What operators type and read: confirmations and dates, tables and counts, and what is wrong with a file that they wrote. */
import { Fault } from './fault.js';

/** The part of a `Terminal` that asks. */
interface ConfirmingTerminal {
  confirm(question: string): Promise<boolean>;
  note(line: string): void;
}

/** Shows a progress bar while the work lasts. */
export async function withProgress<Bar extends { stop(): void }, Result>(
  terminal: { progress(label: string): Bar },
  label: string,
  work: (bar: Bar) => Promise<Result>,
): Promise<Result> {
  const bar = terminal.progress(label);
  try {
    return await work(bar);
  } finally {
    bar.stop();
  }
}

export interface Confirmation {
  /** Ends with a question mark. */
  question: string;
  /** Whether `--yes` was given: no question is asked. */
  yes: boolean | undefined;
  /** What a refusal leaves undone: `Nothing was deleted`. */
  otherwise: string;
}

/** Returns whether the operator confirms; if not, a note says that nothing was done and names `--yes`. */
export async function confirmed(
  terminal: ConfirmingTerminal,
  { question, yes, otherwise }: Confirmation,
): Promise<boolean> {
  if (yes || (await terminal.confirm(question))) return true;
  terminal.note(`${otherwise}. Without a terminal, confirm with --yes.`);
  return false;
}

/** The first moment of a day such as `2030-01-31`, in UTC. Throws an `invalid` fault if there is no such day. */
export function dayOf(text: string): Date {
  const day = midnightOfDay(text);
  if (day === undefined) throw new Fault('invalid', `"${text}" is not a date such as 2030-01-31`);
  return day;
}

/** As `dayOf`; undefined if there is no such day. */
export function midnightOfDay(day: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const midnight = new Date(`${day}T00:00:00Z`);
  // `Date` silently turns 31 February into a day of March.
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day) ? midnight : undefined;
}

// Text for a terminal: tables, and counts with their noun.

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

/** A Date shows its day. */
type ShownValue = string | number | Date | undefined;

type ShownField<Item> = { [Field in keyof Item]-?: Item[Field] extends ShownValue ? Field : never }[keyof Item];

/** For each heading of a table, the field of an item that it shows, or the text. */
export type Columns<Item> = Readonly<Record<string, ShownField<Item> | ((item: Item) => ShownValue)>>;

/** Prints items as a table, or `none` if there are no items; `absent` stands in cells without a value. */
export function printTable<Item>(
  terminal: { print(line: string): void },
  items: readonly Item[],
  columns: Columns<Item>,
  none: string,
  absent = '-',
): void {
  const rows = items.map((item) => Object.values(columns).map((column) => cellText(item, column) ?? absent));
  for (const line of items.length === 0 ? [none] : table(Object.keys(columns), rows)) terminal.print(line);
}

function cellText<Item>(item: Item, column: Columns<Item>[string]): string | undefined {
  const value = typeof column === 'function' ? column(item) : (item[column] as ShownValue);
  return value instanceof Date ? value.toISOString().slice(0, 10) : value?.toString();
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

// Everything that is wrong with a file that an operator wrote.

const shownMistakes = 20;

/** Collects all mistakes of a file, so that they can be corrected at once. */
export class Mistakes {
  readonly #file: string;
  readonly #found: string[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** `place` is where in the file: `line 3, column sex`. */
  add(place: string, reason: string): void {
    this.#found.push(`${place}: ${reason}`);
  }

  /** Throws an `unprocessable` fault that names the mistakes (the first 20 of many), if there are any. */
  refuse(): void {
    const [first, ...more] = this.#found;
    if (first === undefined) return;
    if (more.length === 0) throw new Fault('unprocessable', `${this.#file}, ${first}`);
    const shown = this.#found.slice(0, shownMistakes);
    if (this.#found.length > shown.length) shown.push('…');
    throw new Fault('unprocessable', `${this.#file}: ${this.#found.length} mistakes\n  ${shown.join('\n  ')}`);
  }
}

// Sheets: text whose first line names the columns.

/** Characters of the longest sheet: a line for each of more things than a server knows. */
const longestSheet = 64 * 1024 * 1024;

/** Throws an `unprocessable` fault if there are too many. */
export async function linesOfSheet(
  name: string,
  blocks: AsyncIterable<{ lines: readonly string[] }>,
): Promise<string[]> {
  const lines: string[] = [];
  let length = 0;
  for await (const block of blocks) {
    for (const line of block.lines) {
      length += line.length + 1;
      lines.push(line);
    }
    if (length > longestSheet)
      throw new Fault('unprocessable', `${name}: the sheet is longer than ${longestSheet} characters`);
  }
  return lines;
}

export interface SheetRow<Column extends string> {
  /** `line 3`. */
  place: string;
  /** Cells that are not empty, by column. */
  cells: { [Name in Column]?: string };
}

/** The lines below the one that names the columns; blank ones are left out. Throws if that line is wrong. */
export function sheetRows<Column extends string>(
  lines: readonly string[],
  { columns, required }: { columns: readonly Column[]; required: readonly Column[] },
  cellsOf: (line: string) => string[],
  mistakes: Mistakes,
): SheetRow<Column>[] {
  const at = lines.findIndex((line) => line.trim() !== '');
  const header = cellsOf(lines[at] ?? '').map((column) => column.toLowerCase());
  for (const [i, column] of header.entries()) {
    if (!(columns as readonly string[]).includes(column))
      mistakes.add(`line ${at + 1}, column ${i + 1}`, `"${column.slice(0, 40)}" is none of ${columns.join(', ')}`);
    else if (header.indexOf(column) < i) mistakes.add(`line ${at + 1}, ${column}`, 'the column is there twice');
  }
  for (const column of required)
    if (!header.includes(column)) mistakes.add(`line ${at + 1}, ${column}`, 'the column is missing');
  mistakes.refuse();
  const rows: SheetRow<Column>[] = [];
  for (const [i, line] of lines.entries()) {
    if (i <= at || line.trim() === '') continue;
    const cells = cellsOf(line);
    if (cells.length > header.length)
      mistakes.add(`line ${i + 1}, column ${cells.length}`, `the header names only ${header.length} columns`);
    const given = header.flatMap((column, k) => (cells[k] ? [[column, cells[k]]] : []));
    rows.push({ place: `line ${i + 1}`, cells: Object.fromEntries(given) });
  }
  return rows;
}
