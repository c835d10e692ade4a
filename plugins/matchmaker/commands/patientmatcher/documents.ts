/**
 * Documents of the collections of a patientMatcher database, as mongoexport wrote them, and what every part of its import needs
 * and reports.
 */
import type { CommandContext } from '../../../../core/commands.js';
import { eachLine, readTextFile } from '../../../../core/files.js';
import { type Finding, type MongoDocument, parseDocument } from '../../../../core/migration.js';
import { Fault } from '../../../../core/plugin.js';
import { type MatchmakerRepository, matchmaker } from '../../contract.js';

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
export function nameOfDocument(document: MongoDocument, index: number): string {
  const { _id: id } = document;
  return typeof id === 'string' && id !== '' ? id : `document ${index + 1}`;
}

export function textValue(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

export function dateValue(value: unknown): Date | undefined {
  return value instanceof Date ? value : undefined;
}

export interface PatientMatcherImport {
  context: CommandContext<unknown>;
  /** Reads and checks everything, changes nothing. */
  dryRun: boolean;
  repository(): Promise<MatchmakerRepository>;
  onProgress?: ((fraction: number, note: string) => void) | undefined;
}

/** What a part of it did. */
export interface ImportCounts {
  read: number;
  added: number;
  /** Of patients. */
  replaced?: number;
  unchanged: number;
  /** Left out; `notCarried` gives the reasons, several for some. */
  left: number;
  /** Of clients. */
  tokens?: { issued: number; unchanged: number };
  notCarried: Finding[];
  /** What differs from before, counts less than expected, or should be changed. */
  remarks: Finding[];
}

export function patientMatcherImport(
  context: CommandContext<unknown>,
  dryRun: boolean,
): Pick<PatientMatcherImport, 'context' | 'dryRun' | 'repository'> {
  return { context, dryRun, repository: () => context.repository(matchmaker) };
}
