/** The documents of a collection, one a line as mongoexport writes them, in constant memory. */
import { lineBlocks, openSource } from '../../../../core/files.js';
import { type MongoDocument, parseDocument } from '../../../../core/migration.js';
import { Fault } from '../../../../core/plugin.js';

/** Characters of the longest document. */
const longest = 64 * 1024 * 1024;

/**
 * Batches of documents, with the fraction of the file that was read. Throws an `unprocessable` fault if the file cannot be read
 * or a line is not a document: a damaged file must be exported again, not carried over in part.
 */
export async function* readDocuments(
  file: string,
  signal?: AbortSignal,
): AsyncGenerator<{ documents: MongoDocument[]; fraction: number }> {
  const source = await openSource(file);
  let line = 0;
  for await (const { lines } of lineBlocks(source, longest)) {
    signal?.throwIfAborted();
    const documents: MongoDocument[] = [];
    for (const text of lines) {
      line++;
      if (text.trim() === '') continue;
      const document = parseDocument(text);
      if (!document) {
        throw new Fault(
          'unprocessable',
          `${file}, line ${line}: not a JSON object; mongoexport writes one on each line if it is run without --jsonArray`,
        );
      }
      documents.push(document);
    }
    yield { documents, fraction: source.progress() };
  }
}

/** All documents of a small collection. */
export async function allDocuments(file: string, signal?: AbortSignal): Promise<MongoDocument[]> {
  const all: MongoDocument[] = [];
  for await (const { documents } of readDocuments(file, signal)) all.push(...documents);
  if (all.length === 0) throw new Fault('unprocessable', `${file} has no documents`);
  return all;
}

/** How a document is named in reports. */
export function nameOfDocument({ _id: id }: MongoDocument): string {
  return typeof id === 'string' && id !== '' ? id : 'one without _id';
}
