/**
 * Tables in PDF files: they are split so that every part fits on a page, rows are not split between pages, and each page of a
 * table begins with its head.
 */
import { fileRows, type PaperCell, type PaperTable, type PaperWords } from './document.js';
import { colours, margin, type Paper, type Pdf, type TextStyle, width } from './paper.js';

/** Space between columns, in points. */
const gutter = 8;
/** Points by which small print is smaller. */
const smaller = 1;

/** A bare table belongs to the heading before it. */
export function writeTable(paper: Paper, table: PaperTable, words: PaperWords, bare = false): void {
  const parts = splitColumns(table, leastWidths(paper, table)).map((part) => new TableWriter(paper, part, words));
  paper.space(10);
  // A title is never the last line of a page.
  const title = { size: bare ? 9.5 : 12, bold: true };
  const caption = { size: 8.5, colour: colours.soft };
  const hasCaption = table.caption !== '' && !bare;
  const above = paper.heightOf(table.title, title) + (hasCaption ? paper.heightOf(table.caption, caption) : 0);
  paper.room(Math.min(above + (parts[0]?.leastHeight() ?? 0) + 30, paper.height));
  paper.paragraph(table.title, title);
  if (hasCaption) paper.paragraph(table.caption, caption);
  for (const part of parts) part.write();
  paper.space(4);
}

/** Rows whose numbers are measured; those that follow are about as wide. */
const measuredRows = 100;
/** A longer word, such as the name of a sample, is broken. In points. */
const longestWord = 96;

/**
 * By column: room for the longest word of its title and for the widest part of its cells that is not broken, if the page has it for
 * all; else a column of text is as wide as its title. In points.
 */
function leastWidths(paper: Paper, { columns, rows }: PaperTable): number[] {
  const size = sizeOf(columns.length);
  const widest = (document: Pdf, words: readonly string[]) =>
    words.reduce((most, one) => Math.max(most, document.widthOfString(paper.printable(one))), 0);
  const titles = columns.map(({ title }) => widest(paper.style({ size, bold: true }), title.split(/(?<=-)|\s+/)));
  const cells = columns.map(({ numeric }, i) => {
    const own = rows.slice(0, measuredRows).flatMap((row) => row[i] ?? []);
    const main = own.flatMap((cell) => (numeric ? [mainText(cell)] : mainText(cell).split(/\s/)));
    const further = own.flatMap(({ badges = [], below = [] }) => [...badges, ...below]);
    return Math.max(
      widest(paper.style({ size, bold: numeric }), main),
      widest(paper.style({ size: size - smaller }), further),
    );
  });
  const roomFor = (withText: boolean) =>
    columns.map(({ numeric }, i) => {
      const most = Math.max(titles[i] ?? 0, withText || numeric ? (cells[i] ?? 0) : 0);
      return Math.min(most, longestWord) + gutter + 0.5;
    });
  const all = roomFor(true);
  return all.reduce((sum, one) => sum + one, 0) <= width ? all : roomFor(false);
}

/** Many columns need a small font. */
function sizeOf(columns: number): number {
  return columns > 10 ? 7.5 : columns > 7 ? 8.25 : 9;
}

class TableWriter {
  readonly #paper: Paper;
  readonly #table: PaperTable;
  readonly #words: PaperWords;
  readonly #widths: readonly number[];
  readonly #size: number;
  readonly #headCells: readonly PaperCell[];
  readonly #headStyle: TextStyle;
  /** Whether the next row is the first below a head. */
  #isFirst = true;

  constructor(paper: Paper, { table, widths }: TablePart, words: PaperWords) {
    this.#paper = paper;
    this.#table = table;
    this.#words = words;
    const { columns } = table;
    this.#widths = widths;
    this.#size = sizeOf(columns.length);
    this.#headCells = columns.map(({ title }) => ({ text: title }));
    this.#headStyle = { size: this.#size - 0.5, bold: true, colour: colours.soft };
  }

  /** Height of its head and first row. */
  leastHeight(): number {
    const [row] = this.#table.rows;
    const [first] = row === undefined ? [] : splitRow(row);
    return this.#headHeight() + (first === undefined ? 0 : this.#height(first, { size: this.#size }));
  }

  write(): void {
    const { rows, of = rows.length } = this.#table;
    const shown = rows.slice(0, fileRows);
    this.#head();
    for (const row of shown) for (const part of splitRow(row)) this.#row(part);
    if (of > shown.length) {
      this.#paper.paragraph(this.#words.cut(shown.length, of), { size: 8.5, colour: colours.soft });
    }
  }

  #head(): void {
    const height = this.#headHeight();
    this.#paper.room(height + 30);
    this.#cells(this.#headCells, this.#headStyle, height);
    this.#paper.rule(colours.soft, 0.8);
  }

  #headHeight(): number {
    return this.#height(this.#headCells, this.#headStyle);
  }

  #row(cells: readonly PaperCell[]): void {
    const paper = this.#paper;
    const style = { size: this.#size };
    const height = this.#height(cells, style);
    if (!paper.fits(height)) {
      paper.room(Number.POSITIVE_INFINITY);
      paper.paragraph(`${this.#table.title} (${this.#words.continued})`, { size: 8.5, colour: colours.soft });
      this.#head();
      this.#isFirst = true;
    }
    // What repeats the row before is written once on each page.
    const shown = this.#isFirst
      ? cells
      : cells.map((cell) => (cell.again ? { ...cell, text: '', list: [], badges: [] } : cell));
    this.#isFirst = false;
    this.#cells(shown, style, height);
    paper.rule(colours.line, 0.4);
  }

  #height(cells: readonly PaperCell[], style: TextStyle): number {
    const paper = this.#paper;
    const heights = cells.map((cell, i) => {
      const room = { width: (this.#widths[i] ?? 0) - gutter };
      const main = paper.style(styled(cell, style)).heightOfString(paper.printable(mainText(cell)) || ' ', room);
      const further = this.#smallText(cell, style, room.width);
      return further === '' ? main : main + paper.style(smallStyle(style)).heightOfString(further, room);
    });
    return Math.max(...heights) + 2;
  }

  /** Badges, and below them further figures: each is kept on one line, with others beside it where there is room. */
  #smallText({ badges = [], below = [] }: PaperCell, style: TextStyle, room: number): string {
    const document = this.#paper.style(smallStyle(style));
    const lines: string[] = [];
    for (const parts of [badges, below]) {
      for (const [i, part] of parts.entries()) {
        const whole = this.#paper.printable(part.replace(/\s+/g, '\u00A0'));
        const longer = `${lines.at(-1)} · ${whole}`;
        if (i > 0 && document.widthOfString(longer) <= room) lines[lines.length - 1] = longer;
        else lines.push(whole);
      }
    }
    return lines.join('\n');
  }

  #cells(cells: readonly PaperCell[], style: TextStyle, height: number): void {
    const paper = this.#paper;
    let x = margin.left;
    for (const [i, cell] of cells.entries()) {
      const room = this.#widths[i] ?? 0;
      const align = this.#table.columns[i]?.numeric ? 'right' : 'left';
      const options = { width: room - gutter, align, height: height + 1 } as const;
      const main = paper.printable(mainText(cell));
      const document = paper.style(styled(cell, style));
      const used = document.heightOfString(main || ' ', options);
      document.text(main, x, paper.y, options);
      const further = this.#smallText(cell, style, options.width);
      if (further !== '') paper.style(smallStyle(style)).text(further, x, paper.y + used, options);
      x += room;
    }
    paper.space(height);
  }
}

function styled({ again, tone }: PaperCell, style: TextStyle): TextStyle {
  const { size, bold } = style;
  if (again) return { size, bold, colour: colours.soft };
  return tone === undefined ? style : { size, bold: bold || tone === 'bad', colour: colours[tone] };
}

/** A low value is marked as on the page: not by colour alone, for many print without. */
function mainText({ text, list, tone }: PaperCell): string {
  if (list !== undefined) return list.join('\n');
  return (tone === 'bad' ? `▾ ${text}` : text).replace(/\s+/g, ' ');
}

function smallStyle({ size = 0 }: TextStyle): TextStyle {
  return { size: size - smaller, colour: colours.soft };
}

// Splits tables so that every part fits on a page.

/** Least width of a column of weight 1, in points. */
const narrowest = 34;

/** A table, or some columns of it, that fits on a page; and the widths of its columns, in points. */
interface TablePart {
  table: PaperTable;
  widths: readonly number[];
}

/**
 * Splits a table that is too wide for a page into several, each with the first two columns. `least` are the widths that the
 * columns need, in points.
 */
function splitColumns(table: PaperTable, least: readonly number[]): TablePart[] {
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
function shares(columns: PaperTable['columns'], least: readonly number[]): number[] {
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
function splitRow(row: readonly PaperCell[]): (readonly PaperCell[])[] {
  const parts = row.map(partsOf);
  const count = Math.max(...parts.map(({ length }) => length));
  if (count === 1) return [row];
  return Array.from({ length: count }, (_, i) =>
    parts.map((cells) => cells[i] ?? (cells.length === 1 ? { ...(cells[0] as PaperCell), again: true } : { text: '' })),
  );
}

function partsOf(cell: PaperCell): PaperCell[] {
  const { list, text } = cell;
  if (list !== undefined && list.length > listRows) {
    const count = Math.ceil(list.length / listRows);
    return Array.from({ length: count }, (_, i) => ({ ...cell, list: list.slice(i * listRows, (i + 1) * listRows) }));
  }
  if (list !== undefined || text.length <= rowCharacters) return [cell];
  const pieces = text.match(new RegExp(`.{1,${rowCharacters}}(?:\\s|$)|.{1,${rowCharacters}}`, 'gsu')) ?? [text];
  return pieces.map((piece) => ({ ...cell, text: piece.trim() }));
}
