/** Reads request bodies: parses JSON and form fields, passes other declared types on as a stream. */
import type { IncomingMessage } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import { Readable } from 'node:stream';
import type { koaBody } from 'koa-body';
import { Fault } from '../fault.js';
import { multipartType, receiveSmallForm } from '../files/receive.js';
import { isStorableText } from '../table-values.js';
import { decodedBody, decodesToUtf8, otherEncoding, refuseOtherCharset } from '../text.js';
import { isJsonType } from './answer.js';
import type { HttpContext } from './exchange.js';
import type { BodyDeclaration } from './route.js';

export interface SentBody {
  /** Undefined if there was none. */
  body: unknown;
  /** Media type without parameters; undefined if there was no body. */
  type: string | undefined;
}

export const formType = 'application/x-www-form-urlencoded';

function isText(type: string): boolean {
  return isJsonType(type) || type === formType;
}

/**
 * Returns a reader for the declared body. It passes the fields of a multipart form to `admit` before it reads much of
 * the file. It throws `unsupported-media-type`, `invalid` (not JSON, not UTF-8, broken compression) and `too-large`
 * faults. Form fields arrive as strings, repeated ones as arrays; bodies of types that are neither JSON (nor `alsoJson`)
 * nor a form arrive as a Readable, which fails with `too-large` after `streamLimit` bytes.
 */
export function bodyReader(
  declaration: BodyDeclaration<unknown>,
  defaultLimit: number,
): (ctx: HttpContext, admit?: (fields: unknown) => Promise<unknown>) => Promise<SentBody> {
  const limit = declaration.limit ?? defaultLimit;
  const streamLimit = declaration.streamLimit ?? limit;
  const types = [...declaration.types];
  const isParsed = (type: string) => isText(type) || declaration.alsoJson?.includes(type) === true;
  const textTypes = types.filter(isParsed);
  const { form } = declaration;
  const reader = async () => {
    const { HttpMethodEnum, koaBody } = await import('koa-body');
    return koaBody({
      json: false,
      urlencoded: false,
      text: textTypes.length > 0,
      textTypes,
      textLimit: limit,
      // A character for each byte: what is not UTF-8 would be read as U+FFFD.
      encoding: 'binary',
      multipart: false,
      parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
      onError: (error) => {
        throw readFault(error, limit);
      },
    });
  };
  // Made at the first request with a body: koa-body loads a hundred files of other packages and checks its options slowly, and
  // a server has a hundred readers.
  let read: ReturnType<typeof koaBody> | undefined;

  return async (ctx, admit) => {
    if (!hasBody(ctx.req)) return { body: undefined, type: undefined };
    const type = ctx.is(types);
    if (typeof type !== 'string') throw unsupported(`The body must be ${types.join(' or ')}`, types);
    // Others are bytes, which the plugin reads.
    if (isParsed(type) || type === multipartType || type.startsWith('text/')) {
      refuseOtherCharset(ctx.req.headers['content-type'], accepting(types));
    }
    if (type === multipartType && form !== undefined) {
      const limits = { file: form.file, unknown: limit, ...(admit === undefined ? {} : { admit }) };
      return { body: await receiveSmallForm(limited(ctx.req, streamLimit), ctx.req.headers, limits), type };
    }
    if (!isParsed(type)) return { body: limited(ctx.req, streamLimit), type };
    read ??= await reader();
    await read(ctx, async () => undefined);
    const text = decodedBody((ctx.request as typeof ctx.request & { body: string }).body);
    if (text === '') return { body: undefined, type: undefined };
    const body = type === formType ? parseFields(text) : parseJson(text);
    refuseBrokenData(body);
    if (type !== formType && mayNamePrototype.test(text)) refusePrototype(body, '');
    return { body, type };
  };
}

/** By the rules of query strings, so that both give the same shapes. */
function parseFields(text: string): unknown {
  if (!decodesToUtf8(text)) throw otherEncoding('body');
  return parseForm(text, '&', '=', { maxKeys: 0 });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Its error may quote the body.
    throw new Fault('invalid', 'The body is not valid JSON', { part: 'body' });
  }
}

const mayNamePrototype = /__proto__|\\u00(?:5f|6f|7[024])/i;

/** Refuses members that would replace the prototype of an object to which they are copied. */
function refusePrototype(value: unknown, place: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const path = `${place === '' ? '' : `${place}.`}${key.slice(0, 100)}`;
    if (key === '__proto__') {
      const message = 'A member may not be named __proto__';
      throw new Fault('invalid', `${message}: the body has one at ${path}`, {
        part: 'body',
        fields: [{ path, message }],
      });
    }
    refusePrototype(member, path);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function unsupported(sentence: string, types: readonly string[]): Fault {
  return new Fault('unsupported-media-type', sentence, { part: 'body', headers: accepting(types) });
}

function accepting(types: readonly string[]): Record<string, string> {
  return { Accept: types.join(', ') };
}

/** Converts an error of the reader. It may quote the body, so only its kind is passed on. */
function readFault(error: Error, limit: number): Fault {
  const { status, type } = error as Error & { status?: number; type?: string };
  if (status === 413) return tooLarge(limit);
  if (status === 415)
    return new Fault('unsupported-media-type', 'The encoding of the body is not supported', { part: 'body' });
  if (type === 'request.aborted' || type === 'request.size.invalid') {
    return new Fault('invalid', 'The body ended before its announced length', { part: 'body' });
  }
  return new Fault('invalid', 'The body cannot be decoded: check its Content-Encoding', { part: 'body' });
}

function tooLarge(limit: number): Fault {
  return new Fault('too-large', `The body is larger than ${limit} bytes`, { part: 'body' });
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

function refuseBrokenText(text: string): void {
  if (!isStorableText(text)) {
    throw new Fault('invalid', 'Text must not contain NUL characters or unpaired surrogates');
  }
}
