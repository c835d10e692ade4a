/** Keeps reports as they are sent, their parts compressed and in pieces, and reads them again. */
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { Fault, type PluginContext } from '../../../../core/plugin.js';
import type { Texts } from '../../texts/texts.js';
import { type FormFields, inputFault, keepField, lastOfField } from '../form/fields.js';
import type { PageName } from '../form/request.js';
import type { PageView } from '../view.js';
import {
  coverageReports,
  type KeptFacts,
  type KeptReport,
  type ReportPart,
  type ReportRepository,
  reportParts,
} from './contract.js';

/** A page as data, with the form fields that ask for it again. */
interface KeptPage {
  view: PageView;
  fields: FormFields;
}

/** A report that is to be kept. */
interface ReportToKeep {
  id: string;
  made: Date;
  facts: Omit<KeptFacts, 'parts'>;
  words: readonly string[];
  /** The JSON text, as it is sent. */
  json: AsyncIterable<string>;
  /** As browsers show it, and as a PDF file has it. */
  page: KeptPage;
  file: KeptPage;
}

export interface KeptReports {
  repository: ReportRepository;
  /** Whether every report is kept, not only those of forms that ask for it. */
  all: boolean;
  /** Returns the JSON text as it was stored. Throws `too-large` if it takes too much space. */
  keep(report: ReportToKeep): Promise<CompressedText>;
  /** A part with its sum; undefined if the report was removed meanwhile. Throws `unavailable` if it is damaged. */
  json(report: KeptReport): Promise<Awaited<ReturnType<typeof streamOfText>> | undefined>;
  page(report: KeptReport, part: 'page' | 'file'): Promise<KeptPage | undefined>;
}

/** Whether the report of this form is kept. Throws `unprocessable` if the form asks for it, and none is. */
export function mustKeep(kept: { all: boolean } | undefined, name: PageName, sent: FormFields, texts: Texts): boolean {
  const asked = lastOfField(sent, keepField);
  if (asked !== 'true') return name === 'report' && kept?.all === true;
  if (kept !== undefined) return true;
  throw inputFault([{ path: keepField, message: texts.kept.off }]);
}

/** Cannot be guessed: 24 characters of 144 random bits. */
export function newId(): string {
  return randomBytes(18).toString('base64url');
}

export function createKeptReports({
  repository,
  all,
  transaction,
  erasures,
}: Pick<KeptReports, 'repository' | 'all'> & Pick<PluginContext<unknown>, 'transaction' | 'erasures'>): KeptReports {
  async function stored(report: KeptReport, part: ReportPart): Promise<CompressedText | undefined> {
    const sum = report.facts.parts[part];
    const pieces = sum === undefined ? [] : await repository.content(report.id, part);
    return sum === undefined || pieces.length === 0 ? undefined : { pieces, ...sum };
  }

  return {
    repository,
    all,

    async keep({ id, made, facts, words, json, page, file }) {
      const texts = { page: JSON.stringify(page), file: JSON.stringify(file) };
      const parts: Partial<Record<ReportPart, CompressedText>> = {
        json: await compressText(json),
        page: await compressText([texts.page]),
      };
      if (texts.file !== texts.page) parts.file = await compressText([texts.file]);
      const present = reportParts.flatMap((name) => (parts[name] ? [[name, parts[name]] as const] : []));
      const sums = Object.fromEntries(present.map(([name, { bytes, checksum }]) => [name, { bytes, checksum }]));
      const content = Object.fromEntries(present.map(([name, { pieces }]) => [name, pieces]));
      await transaction(async (scope) => {
        await refuseErased(facts.samples, made);
        await scope.repository(coverageReports).keep({ id, made, facts: { ...facts, parts: sums } }, words, content);
      });
      return parts.json as CompressedText;
    },

    async json(report) {
      const part = await stored(report, 'json');
      return part && streamOfText(part);
    },

    async page(report, part) {
      const found = (await stored(report, part)) ?? (await stored(report, 'page'));
      return found && (JSON.parse(await textOfPieces(found)) as KeptPage);
    },
  };

  /** Of people who were erased since the report was asked for, nothing is stored. */
  async function refuseErased(samples: KeptFacts['samples'], since: Date): Promise<void> {
    const ids = samples.map(({ name, registration }) => registration ?? name);
    const barred = await erasures.barred('sample', ids, since);
    if (![...barred.values()].some(({ reason }) => reason === 'erasure')) return;
    throw new Fault('conflict', 'A sample of the report was erased meanwhile: nothing of it is kept');
  }
}

// Parts of kept reports: compressed texts in pieces.

/** Bytes of a piece, and of all pieces of a part. */
const pieceLength = 256 * 1024;
const mostBytes = 64 * 2 ** 20;

export interface CompressedText {
  pieces: Uint8Array[];
  /** Of the text. */
  bytes: number;
  checksum: string;
}

/** Throws `too-large` if the text takes too much space. */
async function compressText(text: AsyncIterable<string> | Iterable<string>): Promise<CompressedText> {
  const digest = createHash('sha256');
  let bytes = 0;
  const counted = async function* () {
    for await (const chunk of text) {
      const buffer = Buffer.from(chunk);
      digest.update(buffer);
      bytes += buffer.length;
      yield buffer;
    }
  };
  const source = Readable.from(counted(), { objectMode: false });
  const gzip = createGzip();
  // `pipe` does not pass errors on.
  source.on('error', (error) => gzip.destroy(error));
  const pieces: Uint8Array[] = [];
  let [waiting, length, all]: [Buffer[], number, number] = [[], 0, 0];
  const flush = (): void => {
    if (length === 0) return;
    pieces.push(new Uint8Array(Buffer.concat(waiting)));
    [waiting, length] = [[], 0];
  };
  for await (const chunk of source.pipe(gzip) as AsyncIterable<Buffer>) {
    for (let from = 0; from < chunk.length; ) {
      const taken = chunk.subarray(from, from + pieceLength - length);
      waiting.push(taken);
      length += taken.length;
      from += taken.length;
      if (length === pieceLength) flush();
    }
    all += chunk.length;
    if (all > mostBytes) {
      source.destroy();
      throw new Fault('too-large', 'The report is too large to be kept: ask for fewer genes, intervals or samples');
    }
  }
  flush();
  return { pieces, bytes, checksum: `sha256:${digest.digest('hex')}` };
}

/** The text of pieces, as bytes. */
function textStream(pieces: readonly Uint8Array[]): Readable {
  const source = Readable.from(pieces.map((piece) => Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)));
  const text = source.pipe(createGunzip());
  // `pipe` does not pass errors on.
  source.on('error', (error) => text.destroy(error));
  return text;
}

/** The text, of which little is in memory at a time. Throws before the first byte if it is not the one that was kept. */
export async function streamOfText({ pieces, bytes, checksum }: CompressedText): Promise<Readable> {
  const digest = createHash('sha256');
  let found = 0;
  try {
    for await (const chunk of textStream(pieces) as AsyncIterable<Buffer>) {
      digest.update(chunk);
      found += chunk.length;
    }
  } catch (cause) {
    throw damaged(cause);
  }
  if (found !== bytes || checksum !== `sha256:${digest.digest('hex')}`) throw damaged();
  return textStream(pieces);
}

/** The whole text. Throws if it is not the one that was kept. */
async function textOfPieces(part: CompressedText): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of (await streamOfText(part)) as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function damaged(cause?: unknown): Fault {
  return new Fault('unavailable', 'The kept report is damaged in the database: restore it from a backup', { cause });
}
