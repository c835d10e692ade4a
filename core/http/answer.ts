/**
 * What every response is made of: the headers that protect browsers, with the permission for pages of other origins; what a
 * handler returns, which tests also compare with its declaration; and errors. Only here a cause becomes an HTTP status, with
 * problem details (RFC 9457) unless a plugin shapes the errors of its own paths.
 */
import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import { addAbortSignal, Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import cors from '@koa/cors';
import Koa from 'koa';
import helmet from 'koa-helmet';
import { z } from 'zod';
import { Fault, type FaultCode, isFault } from '../fault.js';
import { isJsonText } from '../text.js';
import type { HttpContext, HttpMiddleware } from './exchange.js';
import type { Answer, AnswerDeclaration, ErrorShape, OwnedRoute, RouteDeclaration } from './route.js';
import type { HttpSettings } from './settings.js';

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

export function isJsonType(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json');
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
export function breachOfAnswer(
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

// Turns every error into a response, and logs it if the server is at fault.

/** An error's name, message and stack, and its cause's: never its other properties, which may hold input. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { type: error.name, message: error.message, stack: error.stack, ...cause };
}

/** Returns what the caller may see of an error: faults, Koa's HTTP errors by status, and `internal` for all others. */
function publicFault(error: unknown): Fault {
  if (isFault(error)) {
    if (error.code === 'internal') return new Fault('internal', internalSentence, { cause: error });
    if (error.public === undefined || error.public === error.message) return error;
    return new Fault(error.code, error.public, {
      ...(error.part && { part: error.part }),
      fields: [...error.fields],
      headers: { ...error.headers },
      cause: error,
    });
  }
  if (isHttpError(error)) return new Fault(codeOf(error.status), error.message, { cause: error });
  return new Fault('internal', internalSentence, { cause: error });
}

const internalSentence =
  'The server failed to process the request; its log has the reason under the id of this request';

/** `ctx.throw(403, 'sentence')` in a plugin's middleware. */
function isHttpError(error: unknown): error is Error & { status: number } {
  if (!(error instanceof Error)) return false;
  const { status, expose } = error as { status?: unknown; expose?: unknown };
  return expose === true && typeof status === 'number' && status >= 400 && status < 500;
}

interface ErrorOptions {
  /** Finds the plugin's own error body for a path. */
  shapeFor(path: string): ErrorShape | undefined;
  /** Called with the work of every request, which may continue after its time limit and the response. */
  onWork(work: Promise<unknown>): void;
  /** Like DispatchOptions.onBreach, for errors that a route declares. */
  onBreach: ((breach: string) => void) | undefined;
}

/** The outermost middleware of every request: enforces its time limit, and sends the response to an error. */
export function answerErrors(options: ErrorOptions): HttpMiddleware {
  return async (ctx, next) => {
    const work = next();
    options.onWork(work);
    try {
      await ctx.state.exchange.unlessCut(work);
    } catch (error) {
      // The client has left.
      if (ctx.req.socket.destroyed || ctx.state.exchange.isLeaving(error)) return;
      writeFault(ctx, error, options);
    }
  };
}

function writeFault(ctx: HttpContext, error: unknown, options: ErrorOptions): void {
  const { log, route } = ctx.state.exchange;
  const fault = publicFault(error);
  const status = statusOf(fault.code);
  // Each refusal would be a line more when there is too much to do already: they are counted, and logged together.
  if (status >= 500 && fault.code !== 'overloaded')
    log.error({ code: fault.code, error: describeError(error) }, 'request failed');
  const { type, body } = bodyOf(ctx, fault, status, options.shapeFor(ctx.path));
  for (const [name, value] of Object.entries(fault.headers)) ctx.set(name, value);
  ctx.status = status;
  ctx.set('Content-Type', type);
  const isPage = mediaType(type) === 'text/html';
  if (isPage) ctx.set('Content-Security-Policy', pagePolicy(ctx.state.exchange.nonce));
  ctx.body = isPage ? String(body) : JSON.stringify(body);
  if (route?.declaration.answers[status] === undefined) return;
  const breach = breachOfAnswer(route.declaration, { status, type, body });
  if (breach !== undefined) options.onBreach?.(breach);
}

function bodyOf(ctx: HttpContext, fault: Fault, status: number, shape: ErrorShape | undefined) {
  const { exchange } = ctx.state;
  if (shape !== undefined) {
    try {
      const shaped = shape(fault, status, { ...exchange.head, sent: exchange.sent, nonceOf: () => exchange.nonce });
      if (shaped !== undefined) {
        return { type: shaped.type ?? 'application/json; charset=utf-8', body: shaped.body };
      }
    } catch (error) {
      exchange.log.error({ error: describeError(error) }, 'the plugin could not shape its error');
    }
  }
  return { type: problemType, body: problemBody(fault, status, exchange.head.id) };
}

const statuses: Record<FaultCode, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  conflict: 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  unprocessable: 422,
  'too-many-requests': 429,
  internal: 500,
  unavailable: 503,
  overloaded: 503,
  timeout: 504,
};

/** Returns the HTTP status for a fault's code; 500 for an unknown code, from a newer plugin. */
function statusOf(code: FaultCode): number {
  return statuses[code] ?? 500;
}

/** Returns the code for a status that Koa middleware threw; `invalid` for a 4xx without its own code. */
function codeOf(status: number): FaultCode {
  const found = (Object.keys(statuses) as FaultCode[]).find((code) => statuses[code] === status);
  return found ?? 'invalid';
}

// Error bodies: RFC 9457 problem details, unless a plugin shapes the errors of its own paths.

export const problemType = 'application/problem+json';

/** The default error body. */
export const problem = z
  .strictObject({
    type: z.literal('about:blank'),
    title: z.string().describe('The HTTP status in words.'),
    status: z.int().describe('The HTTP status.'),
    detail: z.string().optional().describe('What is wrong, in a sentence.'),
    errors: z
      .array(
        z.strictObject({
          path: z.string().describe('The field, as in `samples.0.name`; empty for the input as a whole.'),
          detail: z.string(),
        }),
      )
      .optional()
      .describe('Every field that is wrong.'),
    requestId: z.string().describe('Names the request in the log.'),
  })
  .meta({ id: 'Problem', description: 'Problem details (RFC 9457).' });

export type ProblemBody = z.output<typeof problem>;

export function problemBody(fault: Fault, status: number, requestId: string): ProblemBody {
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    // The reason for an internal error is for the log, not for the caller.
    ...(fault.code === 'internal' ? {} : { detail: fault.message }),
    ...(fault.fields.length === 0
      ? {}
      : { errors: fault.fields.map(({ path, message }) => ({ path, detail: message })) }),
    requestId,
  };
}

// Protects browsers: security headers and cross-origin permission.

/**
 * Sets security headers on every response, including errors. Data must not be rendered as a page; pages get
 * `pagePolicy` instead. Caches must not store responses, which may contain patient data, unless a handler allows it.
 */
export function securityHeaders(settings: HttpSettings): HttpMiddleware {
  const headers = constantHeaders(settings);
  return ({ res }, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    return next();
  };
}

/** Helmet sets the same headers for every request, so it is called only once. */
function constantHeaders({ hsts }: HttpSettings): [name: string, value: string][] {
  const koa = new Koa();
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const set = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: hsts === 0 ? false : { maxAge: hsts, includeSubDomains: false },
    xFrameOptions: { action: 'deny' },
  });
  void set(koa.createContext(request, response), async () => undefined);
  response.setHeader('Cache-Control', 'no-store');
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
}

/**
 * The Content-Security-Policy of a page: it loads nothing from elsewhere, and inline styles and scripts need the
 * nonce of their response.
 */
function pagePolicy(nonce: string): string {
  return (
    `default-src 'none';script-src 'nonce-${nonce}';style-src 'nonce-${nonce}';img-src 'self' data:;font-src 'self';` +
    "connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'"
  );
}

/** Whether a route may be called from pages of any origin (`RouteDeclaration.anyOrigin`). */
type OpenToPages = (path: string, method: string) => boolean;

/**
 * Returns a function that says whether pages of any origin may call the route of a path and a method. Of several routes
 * that a path fits, the first decides, as for the router: `/things/:id` does not open `/things/new`.
 */
export function openToPages(routes: readonly OwnedRoute[]): OpenToPages {
  const literal = new Map<string, boolean>();
  const patterns: { segments: readonly string[]; methods: readonly string[]; isOpen: boolean }[] = [];
  for (const { declaration, path, methods } of routes) {
    const isOpen = declaration.anyOrigin === true;
    if (path.includes('/:')) patterns.push({ segments: path.split('/'), methods, isOpen });
    else for (const method of methods) literal.set(`${method} ${path}`, isOpen);
  }
  return (path, sent) => {
    const method = sent === 'HEAD' ? 'GET' : sent;
    const asked = path.replace(/\/+$/, '') || '/';
    const known = literal.get(`${method} ${asked}`);
    if (known !== undefined) return known;
    const segments = asked.split('/');
    const fits = (one: string, i: number) => (one.startsWith(':') ? segments[i] !== '' : one === segments[i]);
    const pattern = patterns.find(
      (one) => one.segments.length === segments.length && one.methods.includes(method) && one.segments.every(fits),
    );
    return pattern?.isOpen === true;
  };
}

/** Allows cross-origin requests: from the configured origins or, if there are none, from any to the open routes. */
export function crossOrigin({ cors: { origins, maxAge } }: HttpSettings, isOpen: OpenToPages): HttpMiddleware {
  if (origins.length === 0) {
    const permit = cors({ ...common, origin: '*', allowMethods: 'GET,HEAD,POST', maxAge });
    return (ctx, next) => {
      const method = ctx.method === 'OPTIONS' ? ctx.get('Access-Control-Request-Method') : ctx.method;
      return isOpen(ctx.path, method) ? permit(ctx, next) : next();
    };
  }
  const any = origins.includes('*');
  // A configured URL may end with a slash; the header never does.
  const allowed = new Set(origins.filter((origin) => origin !== '*').map((origin) => new URL(origin).origin));
  return cors({
    origin: (ctx) => (any ? '*' : allowed.has(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    ...common,
    maxAge,
  });
}

const common = { exposeHeaders: ['X-Request-Id', 'Retry-After'], keepHeadersOnError: false };
