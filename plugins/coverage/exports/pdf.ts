/** A page as a PDF file (A4): header and number on each page, tables whose rows are never cut, plots as vectors. */
import { createRequire } from 'node:module';
import type PDFDocumentClass from 'pdfkit';
import type { Ink, Shape } from '../plots/shapes.js';
import { Pace } from '../report/pace.js';
import type { Cell, PageView, Section, Table } from '../report/view.js';
import type { Texts } from '../texts/texts.js';

type Pdf = InstanceType<typeof PDFDocumentClass>;

const margin = { left: 40, right: 40, top: 58, bottom: 46 };
const [pageWidth, pageHeight] = [595.28, 841.89];
const width = pageWidth - margin.left - margin.right;
const bottom = pageHeight - margin.bottom;

const colours: Readonly<Record<Ink, string>> = {
  ...{
    ink: '#111111',
    soft: '#52646a',
    line: '#ccd6d8',
    card: '#ffffff',
    bad: '#9c1c1c',
    gene: '#33474d',
    utr: '#9fb1b5',
  },
  ...{ s0: '#0067a5', s1: '#b3460b', s2: '#00755a', s3: '#8a3f8f', s4: '#7a5c00', s5: '#4a5ab8' },
};
const good = '#0b5d3b';

/** Rows of one table; a file that nobody can leaf through helps nobody, and CSV has them all. */
const mostRows = 3000;

export async function pagePdf(view: PageView, texts: Texts, made: Date): Promise<Buffer> {
  const { default: PDFDocument } = await import('pdfkit');
  const document: Pdf = new PDFDocument({
    size: 'A4',
    margins: margin,
    bufferPages: true,
    autoFirstPage: true,
    lang: texts.language,
    displayTitle: true,
    info: { Title: [view.title, view.subtitle].filter(Boolean).join(' · '), Creator: 'Trefoil', CreationDate: made },
  });
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => void chunks.push(chunk));
    document.on('end', resolve);
    document.on('error', reject);
  });
  await new Writer(document, texts).write(view);
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

/** The fonts are found where npm put them. */
const require = createRequire(import.meta.url);
const fonts = {
  regular: '@expo-google-fonts/source-sans-3/400Regular/SourceSans3_400Regular.ttf',
  bold: '@expo-google-fonts/source-sans-3/600SemiBold/SourceSans3_600SemiBold.ttf',
} as const;

interface TextStyle {
  size?: number;
  bold?: boolean;
  colour?: string;
}

class Writer {
  readonly #document: Pdf;
  readonly #texts: Texts;
  #y = margin.top;
  readonly #pace = new Pace();

  constructor(document: Pdf, texts: Texts) {
    this.#document = document;
    this.#texts = texts;
    for (const [name, path] of Object.entries(fonts)) document.registerFont(name, require.resolve(path));
  }

  async write(view: PageView): Promise<void> {
    this.#paragraph(view.title, { size: 19, bold: true });
    if (view.subtitle !== '') this.#paragraph(view.subtitle, { size: 11.5, colour: colours.soft });
    this.#space(6);
    this.#notices(view);
    this.#facts(view);
    await this.#table(view.sampleTable);
    for (const section of view.sections) {
      await this.#pace.turn();
      await this.#section(section);
    }
    await this.#everyPage(view);
    await this.#pace.turn();
  }

  async #section(section: Section): Promise<void> {
    switch (section.kind) {
      case 'heading':
        this.#heading(section);
        return;
      case 'table':
        await this.#table(section.table, section.bare);
        if (section.note !== undefined) this.#paragraph(section.note, { size: 8.5, colour: colours.soft });
        return;
      case 'drawing':
        this.#drawing(section);
        return;
      case 'note':
        this.#paragraph(section.text, { size: 9.5, colour: section.tone === 'good' ? good : colours.soft });
        return;
      case 'terms':
        this.#terms(section.title, section.items);
        return;
      case 'browse':
        if (section.view.parts > 1) {
          this.#paragraph(this.#texts.overview.part(section.view.part, section.view.parts), {
            size: 9,
            colour: colours.soft,
          });
        }
    }
  }

  #style({ size = 9.5, bold = false, colour = colours.ink }: TextStyle): Pdf {
    return this.#document
      .font(bold ? 'bold' : 'regular')
      .fontSize(size)
      .fillColor(colour);
  }

  /** What the font lacks is written as its code point, so that no two names look the same. */
  #printable(text: string): string {
    const font = (this.#document as unknown as { _font: { font: { hasGlyphForCodePoint(code: number): boolean } } })
      ._font.font;
    return [...text]
      .map((sign) => {
        // Lines are broken by us only: those of lists.
        if (sign === '\n') return sign;
        const code = sign.codePointAt(0) as number;
        return font.hasGlyphForCodePoint(code) && !/\p{Cf}|\p{Cc}/u.test(sign)
          ? sign
          : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
      })
      .join('');
  }

  /** Begins a page where less than this height is left. */
  #room(height: number): void {
    if (this.#y + height <= bottom) return;
    this.#document.addPage();
    this.#y = margin.top;
  }

  #space(height: number): void {
    this.#y += height;
  }

  #paragraph(text: string, style: TextStyle, left = margin.left, room = width): void {
    const document = this.#style(style);
    const printable = this.#printable(text);
    const height = document.heightOfString(printable, { width: room });
    this.#room(Math.min(height, bottom - margin.top));
    document.text(printable, left, this.#y, { width: room });
    this.#y += height + 2;
  }

  #notices({ warnings }: PageView): void {
    if (warnings.length === 0) {
      this.#paragraph(this.#texts.warnings.none, { size: 9, colour: good });
      this.#space(4);
      return;
    }
    this.#room(40);
    const lines = warnings.flatMap(({ text, list = [] }) => [text, ...list.map((item) => `– ${item}`)]);
    const [firstPage, begin] = [this.#document.bufferedPageRange().count, this.#y];
    this.#space(4);
    this.#paragraph(
      this.#texts.warnings.title,
      { size: 10.5, bold: true, colour: '#5f3d00' },
      margin.left + 10,
      width - 18,
    );
    for (const line of lines) {
      this.#paragraph(
        line,
        { size: 9, colour: '#5f3d00' },
        margin.left + (line.startsWith('– ') ? 20 : 10),
        width - 28,
      );
    }
    const top = this.#document.bufferedPageRange().count === firstPage ? begin : margin.top;
    this.#document.rect(margin.left, top, 3, this.#y - top).fill('#e0b04a');
    this.#space(8);
  }

  #facts({ facts }: PageView): void {
    const label = 128;
    for (const fact of facts) {
      const text = this.#style({ size: 9 });
      const printable = this.#printable(fact.text);
      const height = text.heightOfString(printable, { width: width - label });
      this.#room(height);
      this.#style({ size: 9, colour: colours.soft }).text(fact.label, margin.left, this.#y, { width: label - 10 });
      this.#style({ size: 9 }).text(printable, margin.left + label, this.#y, { width: width - label });
      this.#y += height + 1.5;
    }
    this.#space(8);
  }

  #heading({ title, text, badges = [], transcript }: Extract<Section, { kind: 'heading' }>): void {
    const small = transcript !== undefined;
    this.#space(small ? 8 : 12);
    this.#room(90);
    this.#paragraph([title, ...badges].join('  ·  '), { size: small ? 11 : 13, bold: true });
    if (text !== undefined) this.#paragraph(text, { size: 8.5, colour: colours.soft });
  }

  #terms(title: string, items: readonly (readonly [string, string])[]): void {
    this.#space(12);
    this.#room(70);
    this.#paragraph(title, { size: 13, bold: true });
    for (const [term, text] of items) {
      this.#room(30);
      this.#paragraph(term, { size: 9, bold: true });
      this.#paragraph(text, { size: 9 });
      this.#space(2);
    }
  }

  #drawing({ drawing, title, caption }: Extract<Section, { kind: 'drawing' }>): void {
    const scale = width / drawing.width;
    const height = drawing.height * scale;
    this.#space(8);
    this.#room(height + (title === undefined ? 0 : 18) + (caption === undefined ? 0 : 24));
    if (title !== undefined) this.#paragraph(title, { size: 11, bold: true });
    const document = this.#document;
    document.save().translate(margin.left, this.#y).scale(scale);
    for (const shape of drawing.shapes) this.#shape(shape);
    document.restore();
    this.#y += height + 2;
    if (caption !== undefined) this.#paragraph(caption, { size: 8.5, colour: colours.soft });
  }

  #shape(shape: Shape): void {
    const document = this.#document;
    document.save();
    if (shape.kind === 'text') {
      const { text, size, x, y, anchor = 'start', fill, bold = false } = shape;
      this.#style({ size, bold, colour: colours[fill] });
      const printable = this.#printable(text);
      const back = anchor === 'start' ? 0 : document.widthOfString(printable) / (anchor === 'middle' ? 2 : 1);
      document.text(printable, x - back, y, { lineBreak: false, baseline: 'alphabetic' });
    } else if (shape.kind === 'rect') {
      document
        .fillOpacity(shape.opacity ?? 1)
        .rect(shape.x, shape.y, shape.width, shape.height)
        .fill(colours[shape.fill]);
    } else {
      const { stroke, dash = [] } = shape;
      document.lineWidth(shape.width ?? 1).lineJoin('round');
      if (dash.length > 0) document.dash(dash[0] as number, { space: dash[1] ?? (dash[0] as number) });
      if (shape.kind === 'line') document.moveTo(shape.x1, shape.y1).lineTo(shape.x2, shape.y2);
      else document.path(shape.d);
      const opacity = shape.kind === 'path' ? (shape.opacity ?? 1) : 1;
      if (shape.kind === 'path' && shape.fill !== undefined) document.fillOpacity(opacity).fill(colours[shape.fill]);
      else if (stroke !== undefined) document.strokeOpacity(opacity).stroke(colours[stroke]);
    }
    document.restore();
  }

  async #table(table: Table, bare: boolean | undefined = false): Promise<void> {
    this.#space(10);
    this.#room(64);
    this.#paragraph(table.title, { size: bare ? 9.5 : 12, bold: true });
    if (table.caption !== '' && !bare) this.#paragraph(table.caption, { size: 8.5, colour: colours.soft });
    for (const part of splitColumns(table)) await this.#rows(part);
    this.#space(4);
  }

  async #rows(table: Table): Promise<void> {
    const widths = this.#widths(table);
    const size = tableSize(table);
    this.#head(table, widths, size);
    for (const row of table.rows.slice(0, mostRows)) {
      await this.#pace.turn();
      for (const part of splitRow(row)) this.#row(table, part, widths, size);
    }
    if (table.rows.length > mostRows) {
      this.#paragraph(this.#texts.exports.cut(mostRows, table.rows.length), { size: 8.5, colour: colours.soft });
    }
  }

  #widths({ columns }: Table): number[] {
    const all = columns.reduce((sum, { weight = 1 }) => sum + weight, 0);
    return columns.map(({ weight = 1 }) => (weight / all) * width);
  }

  #head({ columns }: Table, widths: readonly number[], size: number): void {
    const cells = columns.map(({ title }): Cell => ({ text: title, value: title }));
    const height = this.#heights(cells, widths, size - 0.5, true);
    this.#room(height + 30);
    this.#cells(cells, columns, widths, { size: size - 0.5, bold: true, colour: colours.soft }, height);
    this.#rule(colours.soft, 0.8);
  }

  #row(table: Table, cells: readonly Cell[], widths: readonly number[], size: number): void {
    const height = this.#heights(cells, widths, size, false);
    if (this.#y + height > bottom) {
      this.#document.addPage();
      this.#y = margin.top;
      this.#paragraph(`${table.title} (${this.#texts.exports.continued})`, { size: 8.5, colour: colours.soft });
      this.#head(table, widths, size);
    }
    this.#cells(cells, table.columns, widths, { size }, height);
    this.#rule(colours.line, 0.4);
  }

  #rule(colour: string, weight: number): void {
    this.#document
      .moveTo(margin.left, this.#y)
      .lineTo(margin.left + width, this.#y)
      .lineWidth(weight)
      .strokeColor(colour)
      .stroke();
    this.#y += 2;
  }

  #heights(cells: readonly Cell[], widths: readonly number[], size: number, bold: boolean): number {
    const document = this.#style({ size, bold });
    return (
      Math.max(
        ...cells.map((cell, i) =>
          document.heightOfString(this.#printable(cellText(cell)) || ' ', { width: (widths[i] ?? 0) - 8 }),
        ),
      ) + 2
    );
  }

  #cells(
    cells: readonly Cell[],
    columns: Table['columns'],
    widths: readonly number[],
    style: TextStyle,
    height: number,
  ): void {
    let x = margin.left;
    for (const [i, cell] of cells.entries()) {
      const tone = cell.again
        ? colours.soft
        : cell.tone === 'bad'
          ? colours.bad
          : cell.tone === 'good'
            ? good
            : undefined;
      const own =
        tone === undefined ? style : { ...style, colour: tone, bold: cell.tone === 'bad' || (style.bold ?? false) };
      const align = columns[i]?.numeric ? 'right' : 'left';
      this.#style(own).text(this.#printable(cellText(cell)), x, this.#y, {
        width: (widths[i] ?? 0) - 8,
        align,
        height: height + 1,
      });
      x += widths[i] ?? 0;
    }
    this.#y += height;
  }

  /** Header and number, once it is known how many pages there are. */
  async #everyPage({ title, subtitle, facts }: PageView): Promise<void> {
    const document = this.#document;
    const { start, count } = document.bufferedPageRange();
    const made = facts.at(-1);
    for (let i = 0; i < count; i++) {
      await this.#pace.turn();
      document.switchToPage(start + i);
      // What lies in the margins would otherwise begin a page of its own.
      document.page.margins = { top: 0, bottom: 0, left: 0, right: 0 };
      const small = { size: 8, colour: colours.soft };
      const line = (text: string, y: number, align: 'left' | 'right') => {
        this.#style(small).text(this.#printable(text), margin.left, y, {
          width,
          align,
          lineBreak: false,
          height: 12,
          ellipsis: true,
        });
      };
      const head = this.#shortened([title, subtitle].filter(Boolean).join(' · '), width * 0.7, small);
      line(head, 28, 'left');
      line('Trefoil', 28, 'right');
      document
        .moveTo(margin.left, 42)
        .lineTo(margin.left + width, 42)
        .lineWidth(0.5)
        .strokeColor(colours.line)
        .stroke();
      line(made === undefined ? '' : `${made.label}: ${made.text}`, pageHeight - 32, 'left');
      line(this.#texts.exports.page(i + 1, count), pageHeight - 32, 'right');
    }
  }

  #shortened(text: string, room: number, style: TextStyle): string {
    const document = this.#style(style);
    const signs = [...text];
    while (signs.length > 1 && document.widthOfString(this.#printable(signs.join(''))) > room) signs.splice(-8);
    return signs.length === [...text].length ? text : `${signs.join('')}…`;
  }
}

/** Width of a column of weight 1 at least, in points. */
const narrowest = 34;

/** A table that is too wide for a page is several, each with the two columns that come first. */
function splitColumns(table: Table): Table[] {
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

/** Many columns need small letters. */
function tableSize({ columns }: Table): number {
  return columns.length > 10 ? 7.5 : columns.length > 7 ? 8.25 : 9;
}

function cellText({ text, list, badges = [] }: Cell): string {
  return list === undefined ? [text.replace(/\s+/g, ' '), ...badges].join('  ') : list.join('\n');
}

/** Entries of a list, and characters of a text, that are drawn in one row. */
const [listRows, rowCharacters] = [30, 1500];

/** A row with long cells is several rows, so that each fits on a page. */
function splitRow(row: readonly Cell[]): (readonly Cell[])[] {
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
