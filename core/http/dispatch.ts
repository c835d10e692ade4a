/**
 * Turns route declarations into a router: access, then body, then validation, which reports all wrong fields at once, then the
 * handler.
 */
import { Readable } from 'node:stream';
import Router from '@koa/router';
import type { ZodType } from 'zod';
import { Fault, type FaultPart, type FieldFault } from '../fault.js';
import { multipartType, type SmallForm } from '../files/receive.js';
import { queryWording, wording } from '../schema.js';
import { decodesToUtf8, otherEncoding } from '../text.js';
import { inClass } from '../work.js';
import type { Admission, AdmissionPlace } from './admission.js';
import { breachOfAnswer, writeAnswer } from './answer.js';
import { bodyReader, formType, refuseBrokenData } from './body.js';
import type { HttpContext, HttpMiddleware, HttpState } from './exchange.js';
import type { OwnedRoute, RequestClass } from './route.js';

interface DispatchOptions {
  admission: Pick<Admission, 'place'>;
  bodyLimit: number;
  /** The field of posted forms that carries the CSRF token of a session: no handler sees it. None if omitted. */
  csrfField?: string;
  /** Called for every answer that breaks its declaration; answers are checked only if it is given. */
  onBreach?: (breach: string) => void;
}

/** Returns middleware that handles every request: by its route, as OPTIONS, or with a 404 or 405 fault. */
export function dispatcher(routes: readonly OwnedRoute[], options: DispatchOptions): HttpMiddleware[] {
  const router = new Router<HttpState>({ sensitive: true });
  // The router compares a path with every route. Those without parameters come first in it, and are found at once here.
  const literal = new Map<string, HttpMiddleware>();
  for (const route of routes) {
    const handle = admittedHandler(route, options);
    router.register(route.path, [...route.methods], handle);
    if (!route.path.includes('/:')) for (const method of route.methods) literal.set(`${method} ${route.path}`, handle);
  }
  const known: HttpMiddleware = (ctx, next) => (literal.get(`${ctx.method} ${ctx.path}`) ?? next)(ctx, next);
  return [refuseBrokenPath, known, router.routes() as HttpMiddleware, unserved];
}

/** Node refuses raw control characters in URLs, so only percent-encoded text can be broken. */
function mayBeBroken(ctx: HttpContext): boolean {
  return ctx.url.includes('%');
}

const refuseBrokenPath: HttpMiddleware = (ctx, next) => {
  if (!mayBeBroken(ctx)) return next();
  let path: string;
  try {
    path = decodeURIComponent(ctx.path);
  } catch (error) {
    throw new Fault('invalid', 'The path is not valid percent-encoding', { part: 'path', cause: error });
  }
  refuseBrokenData(path);
  return next();
};

function classOf({ class: declared, body }: OwnedRoute['declaration']): RequestClass {
  if (declared !== undefined) return declared;
  return body?.streamLimit === undefined ? 'query' : 'background';
}

/** The route of a request that may be handled: it waits for that, or is refused. */
function admittedHandler(route: OwnedRoute, options: DispatchOptions): HttpMiddleware {
  const requestClass = classOf(route.declaration);
  const handle = routeHandler(route, options);
  return async (ctx) => {
    const { exchange } = ctx.state;
    exchange.route = route;
    const place = options.admission.place(requestClass, () => exchange.signal);
    await place.enter();
    try {
      const over = requestClass === 'query' ? undefined : exchange.over();
      await inClass(requestClass, () => handle(ctx, place), over);
    } finally {
      place.leave();
    }
  };
}

const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** The inputs that a method of a route takes. If a route has both GET and POST, POST takes the body but no query. */
export function inputsOfMethod(
  { declaration, methods }: OwnedRoute,
  method: string,
): { query: boolean; body: boolean } {
  const body = declaration.body !== undefined && bodyMethods.has(method);
  return { body, query: declaration.query !== undefined && !(body && methods.length > 1) };
}

function routeHandler(
  route: OwnedRoute,
  options: DispatchOptions,
): (ctx: HttpContext, place: AdmissionPlace) => Promise<void> {
  const { declaration } = route;
  const readBody = declaration.body === undefined ? undefined : bodyReader(declaration.body, options.bodyLimit);

  return async (ctx, place) => {
    const { exchange } = ctx.state;
    const takeCsrfToken = (fields: unknown): void => {
      if (options.csrfField === undefined || !isRecord(fields)) return;
      const { [options.csrfField]: token } = fields;
      delete fields[options.csrfField];
      const text = Array.isArray(token) && token.length === 1 ? token[0] : token;
      if (typeof text === 'string') exchange.head.csrf = text;
    };
    exchange.sent = exchange.head.query;
    const { access } = declaration;
    let principal = await access?.check(exchange.head);
    if (mayBeBroken(ctx)) {
      if (!decodesToUtf8(ctx.querystring)) throw otherEncoding('query');
      refuseBrokenData(exchange.head.query);
    }
    const takes = inputsOfMethod(route, ctx.method);
    const isOpen = access === undefined || principal !== undefined;
    const admit = isOpen
      ? undefined
      : async (fields: unknown) => {
          takeCsrfToken(fields);
          return access.checkBody?.(exchange.head, fields);
        };
    const isArriving = readBody !== undefined && takes.body && !ctx.req.complete;
    // A client that sends slowly must not keep others waiting.
    if (isArriving) place.leave();
    const { body, type } = readBody && takes.body ? await readBody(ctx, admit) : { body: undefined, type: undefined };
    if (isArriving && !(body instanceof Readable)) await place.enter();
    const sent = declaration.body?.form !== undefined && type === multipartType ? (body as SmallForm).fields : body;
    if (type === multipartType || type === formType) takeCsrfToken(sent);
    if (sent !== undefined && !(sent instanceof Readable)) exchange.sent = sent;
    if (access !== undefined && principal === undefined) {
      principal = await access.checkBody?.(exchange.head, sent);
      if (principal === undefined) throw new Fault('unauthenticated', 'This route needs a credential');
    }
    const input = validate(
      {
        params: declaration.params,
        query: takes.query ? declaration.query : undefined,
        body: takes.body ? declaration.body?.schema : undefined,
      },
      { params: paramsOf(ctx), query: exchange.head.query, body },
    );
    const { method, path, headers, query, id, ip } = exchange.head;
    // Written out and with getters: spreading is slow here, and most handlers use none of the last three.
    const request: Parameters<typeof declaration.handle>[0] = {
      method,
      path,
      headers,
      query,
      id,
      ip,
      params: input.params,
      input: input.query,
      body: input.body,
      bodyType: type,
      principal,
      get nonce() {
        return exchange.nonce;
      },
      get log() {
        return exchange.log;
      },
      get signal() {
        return exchange.signal;
      },
    };
    if (exchange.head.csrf !== undefined) request.csrf = exchange.head.csrf;
    const answer = await declaration.handle(request);
    const breach = options.onBreach === undefined ? undefined : breachOfAnswer(declaration, answer);
    if (breach !== undefined) {
      options.onBreach?.(breach);
      throw new Error(`the answer breaks its declaration: ${breach}`);
    }
    await writeAnswer(ctx, answer);
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Readable);
}

function paramsOf(ctx: HttpContext): unknown {
  return (ctx as HttpContext & { params?: unknown }).params ?? {};
}

/** No route was found for the path and the method. */
const unserved: HttpMiddleware = (ctx) => {
  const matched = (ctx as HttpContext & { matched?: { methods: string[] }[] }).matched ?? [];
  if (matched.length === 0) throw new Fault('not-found', 'There is nothing at this path');
  const allowed = [...new Set([...matched.flatMap(({ methods }) => methods), 'OPTIONS'])].sort().join(', ');
  if (ctx.method !== 'OPTIONS') {
    throw new Fault('method-not-allowed', `This path answers ${allowed}`, { headers: { Allow: allowed } });
  }
  ctx.set('Allow', allowed);
  ctx.status = 204;
};

// Checks input against the schemas of a route and reports all wrong fields at once.

interface Input {
  params: unknown;
  query: unknown;
  body: unknown;
}

type Schemas = { [Part in keyof Input]: ZodType | undefined };

const most = 100;

/** Returns the output of the schemas; throws one `invalid` fault with every wrong field, up to 100. */
export function validate(schemas: Schemas, sent: Input): Input {
  const fields: FieldFault[] = [];
  const wrong = new Set<FaultPart>();
  const check = (part: FaultPart, schema: ZodType, value: unknown): unknown => {
    const result = schema.safeParse(value, { error: part === 'query' ? queryWording : wording });
    if (result.success) return result.data;
    wrong.add(part);
    // One by one: a list may have more faults than a call takes arguments.
    for (const [i, { code, path: parts, message }] of result.error.issues.entries()) {
      const path = parts.map(String).join('.');
      // Of two limits of a number the second is the narrower one: the first is what a number can hold.
      const last = fields.at(-1);
      if (i > 0 && last?.path === path && result.error.issues[i - 1]?.code === code) fields.pop();
      const isWhole = path === '' && (code === 'invalid_type' || code === 'invalid_union');
      fields.push({ path, message: isWhole ? `The body ${message}` : message });
    }
    return undefined;
  };
  const made: Input = {
    params: schemas.params === undefined ? sent.params : check('path', schemas.params, sent.params),
    query: schemas.query === undefined ? undefined : check('query', schemas.query, sent.query),
    body: undefined,
  };
  if (schemas.body !== undefined) {
    const absent = sent.body === undefined && !schemas.body.safeParse(undefined).success;
    if (absent) {
      wrong.add('body');
      fields.push({ path: '', message: 'A request body is needed' });
    } else made.body = check('body', schemas.body, sent.body);
  }
  if (fields.length > 0) throw inputFault(fields, wrong);
  return made;
}

function inputFault(all: FieldFault[], [part, ...others]: Iterable<FaultPart>): Fault {
  const fields = all.slice(0, most);
  const named = fields.slice(0, 5).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = all.length - named.length;
  return new Fault('invalid', named.join('; ') + (more > 0 ? `; and ${more} more` : ''), {
    ...(part && others.length === 0 && { part }),
    fields,
  });
}
