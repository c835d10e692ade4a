/** Takes an upload from a request's body: the body itself is the file, or one part of a form is. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Part } from 'formidable';
import { Fault, isFault } from '../fault.js';
import { type Arriving, notStored } from './uploads.js';

export const multipartType = 'multipart/form-data';

/** Fields as they came, those of one name together. */
export type FormFields = Readonly<Record<string, readonly string[] | undefined>>;

/** Writes the body to the file, and waits until it is kept. */
export async function receiveFile(body: Readable, headers: IncomingHttpHeaders, file: Arriving): Promise<void> {
  // Compressed files are stored as they are: a plain one that was compressed for its way comes to the same.
  refuseEncoding(headers, ['identity', 'gzip', 'x-gzip']);
  try {
    await pipeline(body, file.stream);
  } catch (error) {
    throw isFault(error) ? error : (notStored(error) ?? cutShort(error));
  }
  await file.keep();
}

/** Bytes of a form that are not its file: fields, and the heads of parts. */
const mostAround = 16 * 1024 * 1024;

/** Reads a form with at most one file, which is kept where there is one. Answers the fields, and tells each as it comes. */
export async function receiveForm(
  body: Readable,
  headers: IncomingHttpHeaders,
  file: Arriving,
  onField?: (name: string, value: string) => void,
): Promise<{ fields: FormFields; withFile: boolean }> {
  refuseEncoding(headers, ['identity']);
  // Loaded by the first form only.
  const { formidable, multipart } = await import('formidable');
  const form = formidable({
    enabledPlugins: [multipart],
    maxFields: 10_000,
    maxFieldsSize: 1_048_576,
    maxFiles: 1,
    // The body was held to its limit already.
    maxFileSize: Number.MAX_SAFE_INTEGER,
    allowEmptyFiles: true,
    minFileSize: 0,
    fileWriteStreamHandler: () => file.stream,
  });
  form.onPart = (part) => handled(part, form);
  if (onField !== undefined) form.on('field', onField);
  form.on('progress', (received) => {
    const around = received - file.stream.bytesWritten - file.stream.writableLength;
    if (around > mostAround) form.emit('error', new Fault('too-large', 'The fields of the form are too large'));
  });
  try {
    const [fields, files] = await form.parse(Object.assign(body, { headers }) as Readable as IncomingMessage);
    for (const values of Object.values(fields)) values?.forEach(refuseNul);
    const withFile = Object.keys(files).length > 0;
    if (withFile) await file.keep();
    return { fields, withFile };
  } catch (error) {
    // No more is read into a form that has failed.
    body.destroy();
    throw isFault(error) ? error : (notStored(error) ?? formFault(error));
  }
}

/** A form that fits into memory. */
export interface SmallForm {
  /** As fields of other forms: text, and a list where a name comes repeatedly. */
  fields: Record<string, string | string[]>;
  /** The file, whatever its field is called. */
  file?: Buffer;
}

export interface SmallFormLimits {
  /** Bytes of the file. */
  file: number;
  /** Bytes of the file that are taken before `admit` has agreed to the fields that came before it. */
  unknown?: number;
  /** Throws where whoever sends the form may not send that much. */
  admit?(fields: SmallForm['fields']): Promise<unknown>;
}

/** Reads a form with at most one file into memory. Throws a `too-large` fault beyond the limit of the file. */
export async function receiveSmallForm(
  body: Readable,
  headers: IncomingHttpHeaders,
  limits: SmallFormLimits,
): Promise<SmallForm> {
  const before: Record<string, string[]> = Object.create(null);
  const file = new Kept(limits, () => plain(before));
  const discard = async () => void file.destroy();
  const arriving = { stream: file, keep: async () => undefined, discard };
  const { fields, withFile } = await receiveForm(body, headers, arriving, (name, value) => {
    before[name] = [...(before[name] ?? []), value];
  });
  return { fields: plain(fields), ...(withFile ? { file: Buffer.concat(file.parts) } : {}) };
}

function plain(fields: FormFields): SmallForm['fields'] {
  const entries = Object.entries(fields).map(([name, values = []]): [string, string | string[]] => {
    return [name, values.length === 1 ? (values[0] as string) : [...values]];
  });
  return Object.fromEntries(entries);
}

class Kept extends Writable {
  readonly parts: Buffer[] = [];
  readonly #limits: SmallFormLimits;
  readonly #fields: () => SmallForm['fields'];
  #admitted = false;
  bytesWritten = 0;

  constructor(limits: SmallFormLimits, fields: () => SmallForm['fields']) {
    super();
    this.#limits = limits;
    this.#fields = fields;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.bytesWritten += chunk.length;
    this.parts.push(chunk);
    this.#judge().then(() => done(), done);
  }

  async #judge(): Promise<void> {
    const { file, unknown = file, admit } = this.#limits;
    if (this.bytesWritten > file) throw new Fault('too-large', `An uploaded file may have ${file} bytes at most`);
    if (this.#admitted || admit === undefined || this.bytesWritten <= unknown) return;
    await admit(this.#fields());
    this.#admitted = true;
  }
}

/**
 * Hands a part on to the parser. What has a file name is a file, whether a type is given or not; fields are UTF-8
 * whatever encoding they travelled in. The parser awaits what this answers, and nobody would hear of its failure.
 */
async function handled(part: Part & { transferEncoding?: string }, form: Parser): Promise<void> {
  part.transferEncoding = 'utf-8';
  if (part.originalFilename !== null) part.mimetype ??= 'application/octet-stream';
  else part.mimetype = null;
  try {
    await form._handlePart(part);
  } catch (error) {
    form.emit('error', error);
  }
}

interface Parser {
  _handlePart(part: Part): void | Promise<void>;
  emit(event: 'error', error: unknown): boolean;
}

function refuseEncoding(headers: IncomingHttpHeaders, known: readonly string[]): void {
  const sent = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (!known.includes(sent)) throw new Fault('unsupported-media-type', 'The encoding of the body is not supported');
}

function refuseNul(text: string): void {
  if (text.includes('\u0000')) throw new Fault('invalid', 'Text may not hold NUL characters');
}

function cutShort(cause: unknown): Fault {
  return new Fault('invalid', 'The body ended before its announced length', { cause });
}

function formFault(cause: unknown): Fault {
  const { code, httpCode } = cause as { code?: unknown; httpCode?: unknown };
  if (code === 1015) return new Fault('invalid', 'The form has more than one file', { cause });
  if (httpCode === 413) return new Fault('too-large', 'The fields of the form are too large', { cause });
  return new Fault('invalid', 'The body is no complete multipart form', { cause });
}
