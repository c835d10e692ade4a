/** Reads request bodies: parses JSON and form fields, passes other declared types on as a stream. */
import type { IncomingMessage } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import { Readable } from 'node:stream';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { Fault } from '../fault.js';
import { multipartType, receiveSmallForm } from '../files/receive.js';
import type { HttpContext } from './exchange.js';
import type { BodyDeclaration } from './route.js';

export interface SentBody {
  /** Undefined if there was none. */
  body: unknown;
  /** Media type without parameters; undefined if there was no body. */
  type: string | undefined;
}

export const formType = 'application/x-www-form-urlencoded';

export function isJsonType(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json');
}

/**
 * Returns a reader for the declared body. It passes the fields of a multipart form to `admit` before it reads much of
 * the file. It throws `unsupported-media-type`, `invalid` (not JSON, broken compression) and `too-large` faults. Form
 * fields arrive as strings, repeated ones as arrays; bodies of types that are neither JSON nor a form arrive as a
 * Readable, which fails with `too-large` after `streamLimit` bytes.
 */
export function bodyReader(
  declaration: BodyDeclaration<unknown>,
  defaultLimit: number,
): (ctx: HttpContext, admit?: (fields: unknown) => Promise<unknown>) => Promise<SentBody> {
  const limit = declaration.limit ?? defaultLimit;
  const streamLimit = declaration.streamLimit ?? limit;
  const types = [...declaration.types];
  const jsonTypes = types.filter(isJsonType);
  const formTypes = types.filter((type) => type === formType);
  const { form } = declaration;
  const parser = () =>
    koaBody({
      json: jsonTypes.length > 0,
      jsonTypes,
      jsonStrict: false,
      jsonLimit: limit,
      // Forms are read as text and parsed by the rules of query strings, so that both give the same shapes.
      urlencoded: false,
      text: formTypes.length > 0,
      textTypes: formTypes,
      textLimit: limit,
      multipart: false,
      includeUnparsed: true,
      parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
      onError: (error) => {
        throw readFault(error, limit);
      },
    });
  // Made at the first request with a body: koa-body checks its options slowly, and a server has a hundred readers.
  let parse: ReturnType<typeof koaBody> | undefined;

  return async (ctx, admit) => {
    if (!hasBody(ctx.req)) return { body: undefined, type: undefined };
    const type = ctx.is(types);
    if (typeof type !== 'string') throw unsupported(`The body must be ${types.join(' or ')}`, types);
    if (type === multipartType && form !== undefined) {
      const limits = { file: form.file, unknown: limit, ...(admit === undefined ? {} : { admit }) };
      return { body: await receiveSmallForm(limited(ctx.req, streamLimit), ctx.req.headers, limits), type };
    }
    if (!isJsonType(type) && type !== formType) return { body: limited(ctx.req, streamLimit), type };
    const charset = ctx.request.charset.toLowerCase();
    if (charset !== '' && charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
      throw unsupported('The body must be encoded in UTF-8', types);
    }
    parse ??= parser();
    await parse(ctx, async () => undefined);
    const { body, rawBody } = ctx.request as typeof ctx.request & { body: unknown; rawBody: string };
    if (rawBody === '') return { body: undefined, type: undefined };
    if (rawBody.includes('\uFFFD') && isAltered(rawBody, ctx.req)) {
      throw new Fault('invalid', 'The body must be encoded in UTF-8');
    }
    const parsed = type === formType ? parseForm(String(body), '&', '=', { maxKeys: 0 }) : body;
    refuseBrokenData(parsed);
    return { body: parsed, type };
  };
}

/**
 * Whether text with U+FFFD was not sent as it is: that is what bytes become that are not UTF-8, so that different names in another
 * encoding would be equal. It is nearly always longer than they were. Nothing is known of bodies that are compressed or sent in chunks.
 */
function isAltered(text: string, { headers }: IncomingMessage): boolean {
  const isPlain = headers['content-encoding'] === undefined && headers['content-length'] !== undefined;
  return isPlain && Buffer.byteLength(text) !== Number(headers['content-length']);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function unsupported(sentence: string, types: readonly string[]): Fault {
  return new Fault('unsupported-media-type', sentence, { headers: { Accept: types.join(', ') } });
}

/** Converts an error of the parser. It may quote the body, so only its kind is passed on. */
function readFault(error: Error, limit: number): Fault {
  const { status, type } = error as Error & { status?: number; type?: string };
  if (status === 413) return tooLarge(limit);
  if (status === 415) return new Fault('unsupported-media-type', 'The encoding of the body is not supported');
  if (type === 'request.aborted' || type === 'request.size.invalid') {
    return new Fault('invalid', 'The body ended before its announced length');
  }
  if (error instanceof SyntaxError) return new Fault('invalid', 'The body is not valid JSON');
  return new Fault('invalid', 'The body cannot be decoded: check its Content-Encoding');
}

function tooLarge(limit: number): Fault {
  return new Fault('too-large', `The body is larger than ${limit} bytes`);
}

function limited(request: IncomingMessage, limit: number): Readable {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  async function* chunks() {
    let size = 0;
    // The request stays open if the limit ends the reading, so that it can still be answered.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > limit) throw tooLarge(limit);
      yield chunk as Buffer;
    }
  }
  return Readable.from(chunks(), { objectMode: false });
}

const deepest = 64;

/**
 * Refuses what databases do not store unchanged: NUL characters and unpaired surrogates (silently altered data would be
 * worse than a refusal), and nesting so deep that it can only be meant to exhaust the stack.
 */
export function refuseBrokenData(value: unknown): void {
  refuseBroken(value, 0);
}

function refuseBroken(value: unknown, depth: number): void {
  if (typeof value === 'string') refuseBrokenText(value);
  if (typeof value !== 'object' || value === null) return;
  if (depth === deepest) throw new Fault('invalid', `Data must be nested no more than ${deepest} levels deep`);
  if (Array.isArray(value)) {
    for (const entry of value) refuseBroken(entry, depth + 1);
    return;
  }
  for (const key of Object.keys(value)) {
    refuseBrokenText(key);
    refuseBroken((value as Record<string, unknown>)[key], depth + 1);
  }
}

const broken = /[\0\p{Surrogate}]/u;

function refuseBrokenText(text: string): void {
  if (broken.test(text)) {
    throw new Fault('invalid', 'Text must not contain NUL characters or unpaired surrogates');
  }
}
