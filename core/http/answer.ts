/** Writes a handler's answer; in tests also compares it with its declaration. */
import { addAbortSignal, Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { isJsonText } from '../json-text.js';
import { isJsonType } from './body.js';
import type { HttpContext } from './exchange.js';
import type { Answer, AnswerDeclaration, RouteDeclaration } from './route.js';
import { pagePolicy } from './security.js';

const empty = new Set([204, 205, 304]);

/** Copies the answer into Koa's response, which Koa sends once the middleware has finished. */
export async function writeAnswer(ctx: HttpContext, answer: Answer): Promise<void> {
  const { exchange } = ctx.state;
  const { body, type = 'application/json' } = answer;
  if (body instanceof Readable) {
    addAbortSignal(exchange.signal, body);
    // A stream that fails before its first byte can still be answered with an error.
    if (ctx.method !== 'HEAD') await begun(body);
  }
  if (exchange.isCut) return; // answered already, or the client has left
  ctx.status = answer.status ?? 200;
  if (mediaType(type) === 'text/html') ctx.set('Content-Security-Policy', pagePolicy(exchange.nonce));
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    if (name.toLowerCase() === 'vary') ctx.vary(value);
    else ctx.set(name, value);
  }
  if (empty.has(ctx.status)) {
    ctx.body = null;
  } else if (body === undefined) {
    ctx.body = '';
    ctx.remove('Content-Type');
  } else if (isJsonType(mediaType(type)) && !(body instanceof Readable)) {
    ctx.set('Content-Type', withCharset(type));
    ctx.body = jsonText(body);
  } else {
    ctx.set('Content-Type', withCharset(type));
    ctx.body = content(ctx, body);
  }
}

/** The media type without parameters, in lower case. */
export function mediaType(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function withCharset(type: string): string {
  const textual = type === 'application/json' || (type.startsWith('text/') && !type.includes(';'));
  return textual ? `${type}; charset=utf-8` : type;
}

function jsonText(body: unknown): string {
  if (isJsonText(body)) return body.text;
  const text: string | undefined = JSON.stringify(body);
  if (text === undefined) throw new TypeError('the body of a JSON answer is no JSON data');
  return text;
}

function content(ctx: HttpContext, body: unknown): string | Buffer | Readable {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body;
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (body instanceof Readable) {
    if (ctx.method !== 'HEAD') return body;
    body.destroy();
    return Readable.from([]);
  }
  if (typeof body === 'object') return String(body); // markup of the html template
  throw new TypeError(`an answer cannot be made of a ${typeof body}`);
}

function begun(stream: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      for (const event of ['readable', 'end', 'close']) stream.off(event, settle);
      stream.off('error', settle);
      if (error === undefined) resolve();
      else reject(error);
    };
    for (const event of ['readable', 'end', 'close']) stream.once(event, settle);
    stream.once('error', settle);
  });
}

/**
 * Returns a sentence that says how an answer breaks its declaration; undefined if it does not. Members that the schema
 * does not name are wrong, too: no client could rely on them.
 */
export function breachOf(
  route: Pick<RouteDeclaration, 'answers' | 'path' | 'method'>,
  answer: Answer,
): string | undefined {
  const status = answer.status ?? 200;
  const where = `${String(route.method)} ${route.path} ${status}`;
  const declared: AnswerDeclaration | undefined = route.answers[status];
  if (declared === undefined) return `${where}: this status is not declared`;
  if (empty.has(status)) return undefined;
  const type = mediaType(answer.type ?? 'application/json');
  if (declared.content === undefined) {
    return answer.body === undefined ? undefined : `${where}: no content is declared`;
  }
  const schema = declared.content[type];
  if (schema === undefined) return `${where}: ${type} is not declared`;
  if (!isJsonType(type) || answer.body instanceof Readable) return undefined;
  const data: unknown = JSON.parse(jsonText(answer.body));
  const result = schema.safeParse(data);
  if (!result.success) {
    return `${where}: ${result.error.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.message}`).join('; ')}`;
  }
  return isDeepStrictEqual(result.data, data) ? undefined : `${where}: it has members that are not declared`;
}
