/** Reads the documents of a collection that mongoexport wrote. */

import { eachLine, readTextFile } from '../../../core/files.js';
import { type MongoDocument, parseDocument } from '../../../core/migration.js';
import { Fault } from '../../../core/plugin.js';

/**
 * Reads one document per line, plain or gzip. Throws `unprocessable` if the file cannot be read or a line is not a document:
 * a damaged file should be exported again, not imported in part.
 */
export async function readDocuments(file: string, signal?: AbortSignal): Promise<MongoDocument[]> {
  const text = await readTextFile(file, signal);
  const documents: MongoDocument[] = [];
  eachLine(text, (line) => {
    if (line.trim() === '') return;
    const document = parseDocument(line);
    if (document === undefined) {
      throw new Error('this is not a JSON object; mongoexport writes one per line if run without --jsonArray');
    }
    documents.push(document);
  });
  if (documents.length === 0) throw new Fault('unprocessable', `${text.name} holds no documents`);
  return documents;
}

/** The name of a document in reports: its id, or its position in the file. */
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
