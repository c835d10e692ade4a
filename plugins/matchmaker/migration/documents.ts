/** The documents of a collection, as mongoexport wrote them. */
import { type MongoDocument, parseDocument } from '../../../core/migration.js';
import { Fault } from '../../../core/plugin.js';
import { eachLine, readTextFile } from '../formats/text-file.js';

/**
 * One document a line, plain or gzip. Throws an `unprocessable` fault where the file cannot be read or a line is no
 * document: a damaged file is better exported anew than carried over in part.
 */
export async function readDocuments(file: string, signal?: AbortSignal): Promise<MongoDocument[]> {
  const text = await readTextFile(file, signal);
  const documents: MongoDocument[] = [];
  eachLine(text, (line) => {
    if (line.trim() === '') return;
    const document = parseDocument(line);
    if (document === undefined) {
      throw new Error('this is no JSON object; mongoexport writes one a line, where it is run without --jsonArray');
    }
    documents.push(document);
  });
  if (documents.length === 0) throw new Fault('unprocessable', `${text.name} holds no documents`);
  return documents;
}

/** How a document is named in reports: by its id, or by its place in the file. */
export function nameOf(document: MongoDocument, index: number): string {
  const { _id: id } = document;
  return typeof id === 'string' && id !== '' ? id : `document ${index + 1}`;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

export function dateOf(value: unknown): Date | undefined {
  return value instanceof Date ? value : undefined;
}
