/** Takes a multipart form with at most one small file into memory. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Readable, Writable } from 'node:stream';
import type { Part } from 'formidable';
import { Fault, isFault } from '../../../core/plugin.js';

export const multipartType = 'multipart/form-data';

export interface Upload {
  /** The last value of each field. */
  fields: Record<string, string>;
  /** The file, whatever its field is called. */
  file?: Buffer;
}

/** Throws `too-large` beyond `limit` bytes of the file, `invalid` for what is no complete form. */
export async function receiveUpload(body: Readable, headers: IncomingHttpHeaders, limit: number): Promise<Upload> {
  // Loaded by the first form only.
  const { formidable, multipart } = await import('formidable');
  const parts: Buffer[] = [];
  let size = 0;
  const keep = () =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        size += chunk.length;
        parts.push(chunk);
        done(size > limit ? new Fault('too-large', `An uploaded file may have ${limit} bytes at most`) : null);
      },
    });
  const form = formidable({
    enabledPlugins: [multipart],
    maxFields: 100,
    maxFieldsSize: 1024 * 1024,
    maxFiles: 1,
    maxFileSize: Number.MAX_SAFE_INTEGER,
    allowEmptyFiles: true,
    minFileSize: 0,
    fileWriteStreamHandler: keep,
  });
  form.onPart = (part) => handled(part, form);
  try {
    const [fields, files] = await form.parse(Object.assign(body, { headers }) as Readable as IncomingMessage);
    const last = Object.entries(fields).map(([name, values]): [string, string] => [name, values?.at(-1) ?? '']);
    const hasFile = Object.keys(files).length > 0;
    return { fields: Object.fromEntries(last), ...(hasFile ? { file: Buffer.concat(parts) } : {}) };
  } catch (error) {
    body.destroy();
    if (isFault(error)) throw error;
    const { code, httpCode } = error as { code?: unknown; httpCode?: unknown };
    if (code === 1015) throw new Fault('invalid', 'The form has more than one file', { cause: error });
    if (httpCode === 413) throw new Fault('too-large', 'The fields of the form are too large', { cause: error });
    throw new Fault('invalid', 'The body is no complete multipart form', { cause: error });
  }
}

interface Parser {
  _handlePart(part: Part): void | Promise<void>;
  emit(event: 'error', error: unknown): boolean;
}

/** What has a file name is a file; fields are UTF-8. The parser awaits what this answers, and nobody hears of its failure. */
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
