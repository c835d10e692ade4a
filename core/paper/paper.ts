/** A4 pages, filled from top to bottom with text, rules and drawings; a new page begins when there is no room left. */
import { createRequire } from 'node:module';
import type PDFDocumentClass from 'pdfkit';
import type { Drawing, Ink, Shape } from './document.js';

export type Pdf = InstanceType<typeof PDFDocumentClass>;

/** In points. */
export const margin = { left: 40, right: 40, top: 58, bottom: 46 };
const [pageWidth, pageHeight] = [595.28, 841.89];
export const width = pageWidth - margin.left - margin.right;
const bottom = pageHeight - margin.bottom;

/** In points. */
const afterParagraph = 2;

export const colours: Readonly<Record<Ink | 'good' | 'notice' | 'noticeEdge', string>> = {
  ink: '#111111',
  soft: '#52646a',
  line: '#ccd6d8',
  card: '#ffffff',
  bad: '#9c1c1c',
  good: '#0b5d3b',
  notice: '#5f3d00',
  noticeEdge: '#e0b04a',
  gene: '#33474d',
  utr: '#9fb1b5',
  s0: '#0067a5',
  s1: '#b3460b',
  s2: '#00755a',
  s3: '#8a3f8f',
  s4: '#7a5c00',
  s5: '#4a5ab8',
};

export interface TextStyle {
  size?: number | undefined;
  bold?: boolean | undefined;
  colour?: string;
}

/** Font files inside npm packages. */
const require = createRequire(import.meta.url);
const fonts = {
  regular: '@expo-google-fonts/source-sans-3/400Regular/SourceSans3_400Regular.ttf',
  bold: '@expo-google-fonts/source-sans-3/600SemiBold/SourceSans3_600SemiBold.ttf',
} as const;

interface PaperOptions {
  language: string;
  title: string;
  made: Date;
}

export class Paper {
  readonly document: Pdf;
  /** Position of the next line, from the top of the page. */
  y = margin.top;
  readonly #chunks: Buffer[] = [];
  readonly #ended: Promise<void>;

  constructor(PDFDocument: typeof PDFDocumentClass, { language, title, made }: PaperOptions) {
    const document: Pdf = new PDFDocument({
      size: 'A4',
      margins: margin,
      bufferPages: true,
      autoFirstPage: true,
      lang: language,
      displayTitle: true,
      info: { Title: title, Creator: 'Trefoil', CreationDate: made },
    });
    this.document = document;
    this.#ended = new Promise((resolve, reject) => {
      document.on('data', (chunk: Buffer) => void this.#chunks.push(chunk));
      document.on('end', resolve);
      document.on('error', reject);
    });
    for (const [name, path] of Object.entries(fonts)) document.registerFont(name, require.resolve(path));
  }

  /** The file. */
  async end(): Promise<Buffer> {
    this.document.end();
    await this.#ended;
    return Buffer.concat(this.#chunks);
  }

  /** Height of a page between its margins. */
  get height(): number {
    return bottom - margin.top;
  }

  style({ size = 9.5, bold = false, colour = colours.ink }: TextStyle): Pdf {
    return this.document
      .font(bold ? 'bold' : 'regular')
      .fontSize(size)
      .fillColor(colour);
  }

  /** Characters that the font lacks are written as code points, so that no two names look the same. */
  printable(text: string): string {
    const font = (this.document as unknown as { _font: { font: { hasGlyphForCodePoint(code: number): boolean } } })
      ._font.font;
    return [...text]
      .map((sign) => {
        // Line breaks separate the entries of lists.
        if (sign === '\n') return sign;
        const code = sign.codePointAt(0) as number;
        return font.hasGlyphForCodePoint(code) && !/\p{Cf}|\p{Cc}/u.test(sign)
          ? sign
          : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
      })
      .join('');
  }

  /** Begins a new page if less than this height is left. */
  room(height: number): void {
    if (this.fits(height)) return;
    this.#join();
    this.document.addPage();
    this.y = margin.top;
  }

  /** Joins the content of a full page, which pdfkit keeps until the end as one array for each operator. */
  #join(): void {
    const { content } = this.document.page as unknown as { content: { buffer: Uint8Array[] } };
    content.buffer = [Buffer.concat(content.buffer)];
  }

  fits(height: number): boolean {
    return this.y + height <= bottom;
  }

  space(height: number): void {
    this.y += height;
  }

  /** Of a paragraph, with the space after it. */
  heightOf(text: string, style: TextStyle, room = width): number {
    return this.style(style).heightOfString(this.printable(text), { width: room }) + afterParagraph;
  }

  paragraph(text: string, style: TextStyle, left = margin.left, room = width): void {
    const height = this.heightOf(text, style, room);
    this.room(Math.min(height - afterParagraph, this.height));
    this.style(style).text(this.printable(text), left, this.y, { width: room });
    this.y += height;
  }

  rule(colour: string, weight: number): void {
    this.#line(this.y, colour, weight);
    this.y += 2;
  }

  /** Adds header and page number, once the number of pages is known. */
  everyPage(head: string, foot: string, number: (page: number, pages: number) => string): void {
    const { document } = this;
    const { start, count } = document.bufferedPageRange();
    const small = { size: 8, colour: colours.soft };
    const line = (text: string, y: number, align: 'left' | 'right') =>
      this.style(small).text(this.printable(text), margin.left, y, {
        width,
        align,
        lineBreak: false,
        height: 12,
        ellipsis: true,
      });
    const title = this.#shortened(head, width * 0.7, small);
    for (let i = 0; i < count; i++) {
      document.switchToPage(start + i);
      // Text in the margins would otherwise begin a new page.
      document.page.margins = { top: 0, bottom: 0, left: 0, right: 0 };
      line(title, 28, 'left');
      line('Trefoil', 28, 'right');
      this.#line(42, colours.line, 0.5);
      line(foot, pageHeight - 32, 'left');
      line(number(i + 1, count), pageHeight - 32, 'right');
    }
  }

  #line(y: number, colour: string, weight: number): void {
    this.document
      .moveTo(margin.left, y)
      .lineTo(margin.left + width, y)
      .lineWidth(weight)
      .strokeColor(colour)
      .stroke();
  }

  #shortened(text: string, room: number, style: TextStyle): string {
    const document = this.style(style);
    const signs = [...text];
    while (signs.length > 1 && document.widthOfString(this.printable(signs.join(''))) > room) signs.splice(-8);
    return signs.length === [...text].length ? text : `${signs.join('')}…`;
  }
}

// Drawings in PDF files: vectors, as wide as the text.

/** The height of a drawing, in points. */
export function drawingHeight(drawing: Drawing): number {
  return (drawing.height * width) / drawing.width;
}

export function draw(paper: Paper, drawing: Drawing): void {
  const { document } = paper;
  document
    .save()
    .translate(margin.left, paper.y)
    .scale(width / drawing.width);
  for (const shape of drawing.shapes) {
    document.save();
    drawShape(paper, shape);
    document.restore();
  }
  document.restore();
  paper.space(drawingHeight(drawing) + 2);
}

function drawShape(paper: Paper, shape: Shape): void {
  const { document } = paper;
  switch (shape.kind) {
    case 'text': {
      const { text, size, x, y, anchor = 'start', fill, bold = false } = shape;
      paper.style({ size, bold, colour: colours[fill] });
      const printable = paper.printable(text);
      const back = anchor === 'start' ? 0 : document.widthOfString(printable) / (anchor === 'middle' ? 2 : 1);
      document.text(printable, x - back, y, { lineBreak: false, baseline: 'alphabetic' });
      return;
    }
    case 'rect':
      document
        .fillOpacity(shape.opacity ?? 1)
        .rect(shape.x, shape.y, shape.width, shape.height)
        .fill(colours[shape.fill]);
      return;
    case 'line':
      stroked(paper, shape).moveTo(shape.x1, shape.y1).lineTo(shape.x2, shape.y2).stroke(colours[shape.stroke]);
      return;
    case 'path': {
      const { fill, stroke, opacity = 1 } = shape;
      stroked(paper, shape).path(shape.d);
      if (fill !== undefined) document.fillOpacity(opacity).fill(colours[fill]);
      else if (stroke !== undefined) document.strokeOpacity(opacity).stroke(colours[stroke]);
    }
  }
}

function stroked({ document }: Paper, { width = 1, dash = [] }: { width?: number; dash?: readonly number[] }) {
  document.lineWidth(width).lineJoin('round');
  // PDFKit also takes a list of lengths; its types do not say so.
  return dash.length > 0 ? document.dash([...dash] as unknown as number, {}) : document;
}
