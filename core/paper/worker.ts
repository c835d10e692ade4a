/**
 * Runs in a worker thread: makes a document a PDF file (A4): header and page number on each page, rows that are not split, plots as
 * vectors.
 */
import PDFDocument from 'pdfkit';
import { move } from 'piscina';
import { type PaperDocument, type PaperSection, type PaperWords, paperWords } from './document.js';
import { colours, draw, drawingHeight, margin, Paper, width } from './paper.js';
import { writeTable } from './table.js';

export interface PdfTask {
  content: PaperDocument;
  language: string;
  made: Date;
}

export default async function run({ content, language, made }: PdfTask): Promise<Uint8Array> {
  const file = await pdfOf(content, paperWords(language), made);
  // A copy with a buffer of its own, which can be transferred.
  const bytes = new Uint8Array(file);
  return move(bytes) as unknown as Uint8Array;
}

// A document as a PDF file (A4).

/** Runs without a pause for tenths of a second or more: call it in a worker thread. */
function pdfOf(content: PaperDocument, words: PaperWords, made: Date): Promise<Buffer> {
  const { title, subtitle, foot, notices, sections } = content;
  const whole = [title, subtitle].filter(Boolean).join(' · ');
  const paper = new Paper(PDFDocument, { language: words.language, title: whole, made });
  paper.paragraph(title, { size: 19, bold: true });
  if (subtitle !== '') paper.paragraph(subtitle, { size: 11.5, colour: colours.soft });
  paper.space(6);
  if (notices) writeNotices(paper, notices);
  writeFacts(paper, content);
  for (const section of sections) writeSection(paper, section, words);
  paper.everyPage(whole, foot, words.page);
  return paper.end();
}

function writeSection(paper: Paper, section: PaperSection, words: PaperWords): void {
  switch (section.kind) {
    case 'heading':
      writeHeading(paper, section);
      return;
    case 'table':
      writeTable(paper, section.table, words, section.bare);
      if (section.note !== undefined) paper.paragraph(section.note, { size: 8.5, colour: colours.soft });
      return;
    case 'drawing':
      writeDrawing(paper, section);
      return;
    case 'note':
      paper.paragraph(section.text, { size: 9.5, colour: section.tone === 'good' ? colours.good : colours.soft });
      return;
    case 'names':
      writeNames(paper, section);
      return;
    case 'terms':
      writeTerms(paper, section);
      return;
  }
}

type Notices = NonNullable<PaperDocument['notices']>;

function writeNotices(paper: Paper, notices: Notices): void {
  const { warnings, none, unchecked } = notices;
  if (warnings.length > 0) writeWarnings(paper, notices);
  else if (unchecked.length === 0) paper.paragraph(none, { size: 9, colour: colours.good });
  for (const sentence of unchecked) paper.paragraph(sentence, { size: 9, colour: colours.soft });
  paper.space(4);
}

function writeWarnings(paper: Paper, { title, warnings }: Notices): void {
  paper.room(40);
  const { document } = paper;
  const [firstPage, begin] = [document.bufferedPageRange().count, paper.y];
  const write = (text: string, left: number, style: { size: number; bold?: boolean }) =>
    paper.paragraph(text, { ...style, colour: colours.notice }, margin.left + left, width - left - 8);
  paper.space(4);
  write(title, 10, { size: 10.5, bold: true });
  for (const { text, list = [] } of warnings) {
    write(text, 10, { size: 9 });
    for (const item of list) write(`– ${item}`, 20, { size: 9 });
  }
  const top = document.bufferedPageRange().count === firstPage ? begin : margin.top;
  document.rect(margin.left, top, 3, paper.y - top).fill(colours.noticeEdge);
  paper.space(4);
}

/** Width of the column of labels, in points. */
const labels = 128;

function writeFacts(paper: Paper, { facts }: PaperDocument): void {
  for (const { label, text } of facts) {
    const document = paper.style({ size: 9 });
    const printable = paper.printable(text);
    const height = document.heightOfString(printable, { width: width - labels });
    paper.room(height);
    paper.style({ size: 9, colour: colours.soft }).text(label, margin.left, paper.y, { width: labels - 10 });
    paper.style({ size: 9 }).text(printable, margin.left + labels, paper.y, { width: width - labels });
    paper.space(height + 1.5);
  }
  paper.space(8);
}

function writeHeading(paper: Paper, section: Extract<PaperSection, { kind: 'heading' }>): void {
  const { title, text, badges = [], isSmall = false } = section;
  paper.space(isSmall ? 8 : 12);
  paper.room(90);
  paper.paragraph([title, ...badges].join('  ·  '), { size: isSmall ? 11 : 13, bold: true });
  if (text !== undefined) paper.paragraph(text, { size: 8.5, colour: colours.soft });
}

/** Names that are one paragraph, so that a page can end between them. */
const namesAtOnce = 6;

function writeNames(
  paper: Paper,
  { title, caption, summary, names, note }: Extract<PaperSection, { kind: 'names' }>,
): void {
  paper.space(10);
  paper.room(70);
  paper.paragraph(title, { size: 12, bold: true });
  paper.paragraph(`${summary}. ${caption}`, { size: 8.5, colour: colours.soft });
  for (let from = 0; from < names.length; from += namesAtOnce) {
    const some = names.slice(from, from + namesAtOnce).join('; ');
    paper.paragraph(from + namesAtOnce < names.length ? `${some};` : some, { size: 9 });
  }
  if (note !== undefined) paper.paragraph(note, { size: 8.5, colour: colours.soft });
}

function writeTerms(paper: Paper, { title, items }: Extract<PaperSection, { kind: 'terms' }>): void {
  const [large, bold, plain] = [{ size: 13, bold: true }, { size: 9, bold: true }, { size: 9 }];
  // A text is not split, and neither its term nor the title is the last line of a page.
  const room = ([term, text]: (typeof items)[number], before = 0) =>
    paper.room(Math.min(before + paper.heightOf(term, bold) + paper.heightOf(text, plain), paper.height));
  paper.space(12);
  if (items[0] !== undefined) room(items[0], paper.heightOf(title, large));
  paper.paragraph(title, large);
  for (const item of items) {
    const [term, text] = item;
    room(item);
    paper.paragraph(term, bold);
    paper.paragraph(text, plain);
    paper.space(2);
  }
}

function writeDrawing(paper: Paper, section: Extract<PaperSection, { kind: 'drawing' }>): void {
  const { drawing, title, caption } = section;
  paper.space(8);
  paper.room(drawingHeight(drawing) + (title === undefined ? 0 : 18) + (caption === undefined ? 0 : 24));
  if (title !== undefined) paper.paragraph(title, { size: 11, bold: true });
  draw(paper, drawing);
  if (caption !== undefined) paper.paragraph(caption, { size: 8.5, colour: colours.soft });
}
