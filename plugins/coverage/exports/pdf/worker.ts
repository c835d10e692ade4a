/** Runs in a worker thread: makes PDF files. */
import { move } from 'piscina';
import type { PageView } from '../../report/view.js';
import { textsOf } from '../../texts/texts.js';
import { pdfOf } from './document.js';

export interface PdfTask {
  content: PageView;
  language: string;
  made: Date;
}

export default async function run({ content, language, made }: PdfTask): Promise<Uint8Array> {
  const file = await pdfOf(content, textsOf(language), made);
  // A copy with a buffer of its own, which can be transferred.
  const bytes = new Uint8Array(file);
  return move(bytes) as unknown as Uint8Array;
}
