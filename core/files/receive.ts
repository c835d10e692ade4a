/** Receives an upload, the request's body itself or one part of a form, and describes such bodies in the API description. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Part } from 'formidable';
import { type ZodType, z } from 'zod';
import { Fault, isFault } from '../fault.js';
import { decodedBody, refuseOtherCharset } from '../text.js';
import { type Arriving, notStored } from './uploads.js';

export const multipartType = 'multipart/form-data';

/** Fields as sent, grouped by name. */
export type FormFields = Readonly<Record<string, readonly string[] | undefined>>;

/** Writes the body to the file, and waits until it is stored. */
export async function receiveFile(body: Readable, headers: IncomingHttpHeaders, file: Arriving): Promise<void> {
  // Compressed files are stored as they are, and so is a plain file that was compressed for the transfer.
  refuseEncoding(headers, ['identity', 'gzip', 'x-gzip']);
  try {
    await pipeline(body, file.stream);
  } catch (error) {
    throw isFault(error) ? error : (notStored(error) ?? cutShort(error));
  }
  await file.keep();
}

/** Maximum bytes of a form without its file: fields, and the headers of parts. */
const mostAround = 16 * 1024 * 1024;

/** Reads a form and stores its file, at most one. Passes each field to `onField` as it arrives; returns them all. */
export async function receiveForm(
  body: Readable,
  headers: IncomingHttpHeaders,
  file: Arriving,
  onField?: (name: string, value: string) => void,
): Promise<{ fields: FormFields; withFile: boolean }> {
  refuseEncoding(headers, ['identity']);
  // Loaded with the first form.
  const { formidable, multipart } = await import('formidable');
  const form = formidable({
    enabledPlugins: [multipart],
    maxFields: 10_000,
    maxFieldsSize: 1_048_576,
    maxFiles: 1,
    // The limit of the body applies already.
    maxFileSize: Number.MAX_SAFE_INTEGER,
    allowEmptyFiles: true,
    minFileSize: 0,
    fileWriteStreamHandler: () => file.stream,
  });
  form.onPart = (part) => handledPart(part, form);
  const fields: Record<string, string[]> = Object.create(null);
  form.on('field', (name, binary) => {
    try {
      const value = decodedBody(binary);
      refuseNul(value);
      const values = fields[name] ?? [];
      fields[name] = values;
      values.push(value);
      onField?.(name, value);
    } catch (error) {
      form.emit('error', error);
    }
  });
  form.on('progress', (received) => {
    const around = received - file.stream.bytesWritten - file.stream.writableLength;
    if (around > mostAround)
      form.emit('error', new Fault('too-large', 'The fields of the form are too large', { part: 'body' }));
  });
  try {
    const [, files] = await form.parse(Object.assign(body, { headers }) as Readable as IncomingMessage);
    const withFile = Object.keys(files).length > 0;
    if (withFile) await file.keep();
    return { fields, withFile };
  } catch (error) {
    // Stops reading into a form that has failed.
    body.destroy();
    throw isFault(error) ? error : (notStored(error) ?? formFault(error));
  }
}

/** A form that fits into memory. */
export interface SmallForm {
  /** As in other forms: text, or a list if a name is repeated. */
  fields: Record<string, string | string[]>;
  /** The file, whatever the name of its field. */
  file?: Buffer;
}

interface SmallFormLimits {
  /** Maximum bytes of the file. */
  file: number;
  /** Maximum bytes of the file that are read before `admit` accepts the fields that precede it. */
  unknown?: number;
  /** Throws if the sender may not send more than `unknown` bytes. */
  admit?(fields: SmallForm['fields']): Promise<unknown>;
}

/** Reads a form with at most one file into memory. Throws a `too-large` fault if the file exceeds its limit. */
export async function receiveSmallForm(
  body: Readable,
  headers: IncomingHttpHeaders,
  limits: SmallFormLimits,
): Promise<SmallForm> {
  const before: Record<string, string[]> = Object.create(null);
  const file = new BufferedFile(limits, () => plainFields(before));
  const discard = async () => void file.destroy();
  const arriving = { stream: file, keep: async () => undefined, discard };
  const { fields, withFile } = await receiveForm(body, headers, arriving, (name, value) => {
    const values = before[name] ?? [];
    before[name] = values;
    values.push(value);
  });
  return { fields: plainFields(fields), ...(withFile ? { file: Buffer.concat(file.parts) } : {}) };
}

function plainFields(fields: FormFields): SmallForm['fields'] {
  const entries = Object.entries(fields).map(([name, values = []]): [string, string | string[]] => {
    return [name, values.length === 1 ? (values[0] as string) : [...values]];
  });
  return Object.fromEntries(entries);
}

class BufferedFile extends Writable {
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
    if (this.bytesWritten > file)
      throw new Fault('too-large', `An uploaded file may have ${file} bytes at most`, { part: 'body' });
    if (this.#admitted || admit === undefined || this.bytesWritten <= unknown) return;
    await admit(this.#fields());
    this.#admitted = true;
  }
}

/**
 * Passes a part to the parser. A part with a file name is a file, even without a type; fields are read with a character for
 * each byte, whatever their transfer encoding. Failures are emitted, because the parser would not report a rejection.
 */
async function handledPart(
  part: Part & { transferEncoding?: string; headers?: Record<string, string> },
  form: Parser,
): Promise<void> {
  part.transferEncoding = 'binary';
  if (part.originalFilename !== null) part.mimetype ??= 'application/octet-stream';
  else part.mimetype = null;
  try {
    if (part.originalFilename === null) refuseOtherCharset(part.headers?.['content-type']);
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
  if (!known.includes(sent))
    throw new Fault('unsupported-media-type', 'The encoding of the body is not supported', { part: 'body' });
}

function refuseNul(text: string): void {
  if (text.includes('\u0000')) throw new Fault('invalid', 'Text may not hold NUL characters', { part: 'body' });
}

function cutShort(cause: unknown): Fault {
  return new Fault('invalid', 'The body ended before its announced length', { part: 'body', cause });
}

function formFault(cause: unknown): Fault {
  const { code, httpCode } = cause as { code?: unknown; httpCode?: unknown };
  if (code === 1015) return new Fault('invalid', 'The form has more than one file', { part: 'body', cause });
  if (httpCode === 413) return new Fault('too-large', 'The fields of the form are too large', { part: 'body', cause });
  return new Fault('invalid', 'The body is no complete multipart form', { part: 'body', cause });
}

// Describes bodies with files in the API description.

type Schema = { type?: unknown; description?: string } & Record<string, unknown>;

/** How a field may name something: the path of a file of the server, a URL, an object in S3. */
export type NameKind = 'path' | 'url' | 'object';

/**
 * Metadata of a field with which a caller names what the server then opens, by `Places` alone: `x-names` in the API description.
 * A test asks for another tenant's things by every such field.
 */
export function naming(kinds: readonly NameKind[], description: string): Record<string, unknown> {
  return { description, 'x-names': kinds };
}

/** A body that is a file. */
export function fileBody(description: string): ZodType<unknown> {
  return z.unknown().meta(file(description));
}

/**
 * A multipart form with the fields of an object and a file. Fields are text there: lists and objects are JSON, as their
 * descriptions say.
 */
export function fileForm(fields: ZodType, description: string): ZodType<unknown> {
  const described = z.toJSONSchema(fields, { io: 'input', unrepresentable: 'any' }) as Schema;
  const properties = Object.entries((described.properties ?? {}) as Record<string, Schema>);
  return z.unknown().meta({
    type: 'object',
    properties: {
      ...Object.fromEntries(properties.map(([name, own]) => [name, asText(own)])),
      file: file(description),
    },
    ...(described.required === undefined ? {} : { required: described.required }),
  });
}

function file(description: string): Schema {
  return { type: 'string', format: 'binary', description };
}

function asText(schema: Schema): Schema {
  if (schema.type !== 'array' && schema.type !== 'object') return schema;
  const description = [schema.description, 'As JSON text.'].filter(Boolean).join(' ');
  return { type: 'string', contentMediaType: 'application/json', contentSchema: schema, description };
}
