/** Tables in PDF files: rows are not split between pages, and each page of a table begins with its head. */
import { type Cell, fileRows, type Table } from '../../report/view.js';
import type { Texts } from '../../texts/texts.js';
import { colours, margin, type Paper, type Pdf, type TextStyle, width } from './paper.js';
import { type Part, splitColumns, splitRow } from './split.js';

/** Space between columns, in points. */
const gutter = 8;
/** Points by which small print is smaller. */
const smaller = 1;

/** A bare table belongs to the heading before it. */
export function writeTable(paper: Paper, table: Table, texts: Texts, bare = false): void {
  const parts = splitColumns(table, leastWidths(paper, table)).map((part) => new TableWriter(paper, part, texts));
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
function leastWidths(paper: Paper, { columns, rows }: Table): number[] {
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
  readonly #table: Table;
  readonly #texts: Texts;
  readonly #widths: readonly number[];
  readonly #size: number;
  readonly #headCells: readonly Cell[];
  readonly #headStyle: TextStyle;
  /** Whether the next row is the first below a head. */
  #isFirst = true;

  constructor(paper: Paper, { table, widths }: Part, texts: Texts) {
    this.#paper = paper;
    this.#table = table;
    this.#texts = texts;
    const { columns } = table;
    this.#widths = widths;
    this.#size = sizeOf(columns.length);
    this.#headCells = columns.map(({ title }) => ({ text: title, value: title }));
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
      this.#paper.paragraph(this.#texts.exports.cut(shown.length, of), { size: 8.5, colour: colours.soft });
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

  #row(cells: readonly Cell[]): void {
    const paper = this.#paper;
    const style = { size: this.#size };
    const height = this.#height(cells, style);
    if (!paper.fits(height)) {
      paper.room(Number.POSITIVE_INFINITY);
      paper.paragraph(`${this.#table.title} (${this.#texts.exports.continued})`, { size: 8.5, colour: colours.soft });
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

  #height(cells: readonly Cell[], style: TextStyle): number {
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
  #smallText({ badges = [], below = [] }: Cell, style: TextStyle, room: number): string {
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

  #cells(cells: readonly Cell[], style: TextStyle, height: number): void {
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

function styled({ again, tone }: Cell, style: TextStyle): TextStyle {
  const { size, bold } = style;
  if (again) return { size, bold, colour: colours.soft };
  return tone === undefined ? style : { size, bold: bold || tone === 'bad', colour: colours[tone] };
}

/** A low value is marked as on the page: not by colour alone, for many print without. */
function mainText({ text, list, tone }: Cell): string {
  if (list !== undefined) return list.join('\n');
  return (tone === 'bad' ? `▾ ${text}` : text).replace(/\s+/g, ' ');
}

function smallStyle({ size = 0 }: TextStyle): TextStyle {
  return { size: size - smaller, colour: colours.soft };
}
