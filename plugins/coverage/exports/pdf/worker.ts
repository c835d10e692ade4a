/** Runs in a worker thread: makes PDF files. */
import { move } from 'piscina';
import { textsOf } from '../../texts/texts.js';
import { type PdfContent, pdfOf } from './document.js';

export interface PdfTask {
  content: PdfContent;
  language: string;
  made: Date;
}

export default async function run({ content, language, made }: PdfTask): Promise<Uint8Array> {
  const file = await pdfOf(content, textsOf(language), made);
  // A copy of its own, so that it can be handed over whole.
  const bytes = new Uint8Array(file);
  return move(bytes) as unknown as Uint8Array;
}
