/**
 * What is declared of HTTP: routes, once for validation, types, authorisation, documentation and a check of answers in tests;
 * the classes of requests; error bodies that an interface prescribes; and the registry of all that the core and the plugins
 * declare, which finds conflicts between them.
 */
import type { Middleware } from 'koa';
import { type ZodType, z } from 'zod';
import type { Fault } from '../fault.js';
import type { Access, OptionalAccess, Principal, RequestHead } from '../policy/policy.js';
import type { StorageLog } from '../storage.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The caller, if the route declares an access. */
type Asker<Guard> = Guard extends Access ? Principal : undefined;

/** What a handler gets. `params`, `input` and `body` are the output of the declared schemas. */
export interface RouteRequest<Params, Query, Body, Guard = Access | undefined> extends RequestHead {
  params: Params;
  /** The query as validated; `query` is the query as sent. */
  input: Query;
  body: Body;
  /** The media type of the body that was read, without parameters; undefined if there was none. */
  bodyType: string | undefined;
  /** The caller; undefined if the route declares no access. */
  principal: Asker<Guard>;
  /** Content-Security-Policy nonce for inline styles and scripts of HTML responses. */
  nonce: string;
  log: StorageLog;
  /** Aborted when the client goes away or the request times out. */
  signal: AbortSignal;
}

export interface Answer {
  /** 200 if omitted. */
  status?: number;
  headers?: Record<string, string>;
  /** Media type; `application/json` if omitted. */
  type?: string;
  /** JSON data, or its text as `JsonText`, for JSON types; text, bytes, a stream or markup of `html` for others. Undefined: no content. */
  body?: unknown;
}

/** Documentation of one answer; JSON answers are checked against the schema in tests. */
export interface AnswerDeclaration {
  description: string;
  /** Media type → schema; for `text/html` the schema is only documentation. */
  content?: Record<string, ZodType>;
}

const problem = z.looseObject({ status: z.int(), title: z.string(), detail: z.string().optional() });

/** What most routes with an access, and most with a body, refuse. */
export const callerRefusals = { 401: 'The credential is missing or invalid.', 403: 'The caller lacks the right.' };
export const bodyRefusals = { 413: 'The body is too large.', 415: 'The media type of the body is not supported.' };

/** Declares refusals, each with its sentence, as `application/problem+json` and in other types if named. */
export function refused(
  sentences: Readonly<Record<number, string>>,
  ...types: readonly string[]
): Record<number, AnswerDeclaration> {
  const content = {
    'application/problem+json': problem,
    ...Object.fromEntries(types.map((type) => [type, z.string()])),
  };
  return Object.fromEntries(
    Object.entries(sentences).map(([status, description]) => [status, { description, content }]),
  );
}

export interface BodyDeclaration<Body> {
  /** Accepted media types; `application/json` and `application/x-www-form-urlencoded` are parsed. Others: 415. */
  types: readonly ('application/json' | 'application/x-www-form-urlencoded' | (string & {}))[];
  schema: ZodType<Body>;
  /** Those of `types` beside JSON types whose bodies are parsed as JSON too. */
  alsoJson?: readonly string[];
  /** For the documentation: schemas of types whose bodies differ from `schema`, such as forms with a file. */
  looks?: Readonly<Record<string, ZodType>>;
  /** Bytes; the configuration's limit if omitted. Larger bodies: 413. */
  limit?: number;
  /**
   * Reads multipart forms into memory, with at most one file, of at most `file` bytes. They arrive as a SmallForm, and
   * their fields may contain a credential. Of a file that precedes it, at most `limit` bytes are read.
   */
  form?: { file: number };
  /** Maximum bytes of bodies that are passed on as a stream, if these may be larger; `limit` if omitted. */
  streamLimit?: number;
}

export interface RouteDeclaration<
  Params = unknown,
  Query = unknown,
  Body = unknown,
  Guard extends Access | undefined = Access | undefined,
> {
  method: Method | readonly Method[];
  /** `/apiv1.0/query`, parameters as `/patient/:id` or `/patient/:id.json`. A trailing slash makes no difference. */
  path: string;
  /** OpenAPI operationId, unique in the plugin; camelCase. */
  operation: string;
  summary: string;
  description?: string;
  /** Open to every client if omitted. */
  access?: Guard;
  /** Documents credentials that an open route reads itself. */
  optionalAccess?: OptionalAccess;
  /**
   * Pages of any origin may call it (without cookies), unless the configuration names origins. For queries that
   * are open to every client, never for a route that changes data.
   */
  anyOrigin?: boolean;
  /**
   * What goes first when the server has too much to do: `query` before `report` (takes long) before `background` (can
   * wait). If omitted, `background` for routes whose bodies may arrive as a stream, and `query` for all others.
   */
  class?: RequestClass;
  params?: ZodType<Params>;
  /**
   * Query-string schema; repeated parameters arrive as arrays. If omitted, no query is passed on. If a route with
   * several methods also declares a body, the query is for the methods without a body.
   */
  query?: ZodType<Query>;
  /** Read for POST, PUT, PATCH and DELETE. */
  body?: BodyDeclaration<Body>;
  answers: Record<number, AnswerDeclaration>;
  handle(request: RouteRequest<Params, Query, Body, Guard>): Promise<Answer> | Answer;
}

/** Gives the handler the types of the declared schemas, and a principal if an access is declared. */
export function route<Params = unknown, Query = unknown, Body = unknown, Guard extends Access | undefined = undefined>(
  declaration: RouteDeclaration<Params, Query, Body, Guard>,
): RouteDeclaration<Params, Query, Body, Guard> {
  return declaration;
}

// The classes of requests: which go first, and which are refused first, when there are more than the server can handle.

/** First to last. `health` is never limited. */
const requestClasses = ['health', 'query', 'report', 'background'] as const;
export type RequestClass = (typeof requestClasses)[number];

/** The classes that are limited, first to last. */
export const limitedClasses = ['query', 'report', 'background'] as const;
export type LimitedClass = (typeof limitedClasses)[number];

// Error bodies under a prefix whose interface prescribes them.

/** A plugin's own error body. The core still chooses the status. */
export interface ErrorBody {
  type?: string;
  body: unknown;
}

/** A request that failed. */
export interface FaultyRequest extends RequestHead {
  /** The input as sent, before validation. */
  sent?: unknown;
  /** The Content-Security-Policy nonce of a `text/html` body. */
  nonceOf(): string;
}

/** Undefined for the default body. */
export type ErrorShape = (fault: Fault, status: number, request: FaultyRequest) => ErrorBody | undefined;

// Collects what the core and the plugins add to the server, and finds conflicts between them.

/** The name under which the core's own routes are registered. No plugin can have it: it contains a blank. */
export const theCore = 'the core';

export interface OwnedRoute {
  owner: string;
  /** Without a trailing slash. */
  path: string;
  methods: readonly Method[];
  declaration: RouteDeclaration;
}

interface OwnedValue<Value> {
  owner: string;
  prefix: string;
  value: Value;
}

export interface RouteRegistry {
  routes: OwnedRoute[];
  middleware: OwnedValue<Middleware>[];
  shapes: OwnedValue<ErrorShape>[];
  addRoute(owner: string, declaration: RouteDeclaration): void;
  addMiddleware(owner: string, prefix: string, value: Middleware): void;
  addShape(owner: string, prefix: string, value: ErrorShape): void;
  /** The error body of the longest prefix that the path is under. */
  shapeFor(path: string): ErrorShape | undefined;
  /** Returns a sentence for each fault; see `HttpApp.seal`. Later registrations throw. */
  seal(): string[];
}

export function createRegistry(): RouteRegistry {
  const routes: OwnedRoute[] = [];
  const middleware: OwnedValue<Middleware>[] = [];
  const shapes: OwnedValue<ErrorShape>[] = [];
  let sealed = false;

  const open = () => {
    if (sealed) throw new Error('routes are added while a plugin registers, not later');
  };

  return {
    routes,
    middleware,
    shapes,
    addRoute(owner, declaration) {
      open();
      const methods = typeof declaration.method === 'string' ? [declaration.method] : declaration.method;
      routes.push({ owner, path: withoutSlash(declaration.path), methods, declaration });
    },
    addMiddleware(owner, prefix, value) {
      open();
      middleware.push({ owner, prefix: withoutSlash(prefix), value });
    },
    addShape(owner, prefix, value) {
      open();
      shapes.push({ owner, prefix: withoutSlash(prefix), value });
    },
    shapeFor(path) {
      return shapes
        .filter(({ prefix }) => isUnder(path, prefix))
        .sort((a, b) => b.prefix.length - a.prefix.length)
        .at(0)?.value;
    },
    seal() {
      open();
      sealed = true;
      routes.sort(literalsFirst);
      return [...new Set([...badPaths(routes), ...clashes(routes), ...trespasses(routes, [...middleware, ...shapes])])];
    },
  };
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') || '/' : path;
}

export function isUnder(path: string, prefix: string): boolean {
  return prefix === '/' || path === prefix || path.startsWith(`${prefix}/`);
}

const segment = /^(?:[A-Za-z0-9._~-]+|:[A-Za-z][A-Za-z0-9_]*(?:\.[a-z0-9]+)?)$/;

function* badPaths(routes: readonly OwnedRoute[]): Generator<string> {
  for (const { owner, path } of routes) {
    const fine =
      path === '/' ||
      (path.startsWith('/') &&
        path
          .slice(1)
          .split('/')
          .every((one) => segment.test(one)));
    if (!fine) yield `${nameOfOwner(owner)} has a route "${path}", which is not a path such as /things/:id`;
  }
}

function* clashes(routes: readonly OwnedRoute[]): Generator<string> {
  for (const [i, a] of routes.entries()) {
    for (const b of routes.slice(i + 1)) {
      if (a.owner === b.owner) {
        const shared = a.methods.filter((method) => b.methods.includes(method));
        if (shared.length > 0 && shapeOf(a.path) === shapeOf(b.path)) {
          yield `${nameOfOwner(a.owner)} declares ${shared.join(', ')} ${a.path} twice`;
        }
        if (a.declaration.operation === b.declaration.operation) {
          yield `${nameOfOwner(a.owner)} has two routes named ${a.declaration.operation}: ${a.path} and ${b.path}`;
        }
      } else if (overlap(a.path, b.path)) {
        const paths = a.path === b.path ? a.path : `${a.path} and ${b.path}`;
        yield `${nameOfOwner(a.owner)} and ${nameOfOwner(b.owner)} both claim ${paths}`;
      }
    }
  }
}

/** Finds prefixes of one owner, for middleware or error bodies, that contain paths of another owner. */
function* trespasses(routes: readonly OwnedRoute[], prefixes: readonly OwnedValue<unknown>[]): Generator<string> {
  for (const [i, { owner, prefix }] of prefixes.entries()) {
    if (!prefix.startsWith('/')) yield `${nameOfOwner(owner)} claims "${prefix}", which is not a path`;
    for (const route of routes) {
      if (route.owner !== owner && isUnder(route.path, prefix)) {
        yield `${nameOfOwner(owner)} claims all of ${prefix}, but ${route.path} belongs to ${nameOfOwner(route.owner)}`;
      }
    }
    for (const other of prefixes.slice(i + 1)) {
      if (other.owner !== owner && (isUnder(other.prefix, prefix) || isUnder(prefix, other.prefix))) {
        yield `${nameOfOwner(owner)} and ${nameOfOwner(other.owner)} both claim ${prefix === other.prefix ? prefix : `${prefix} and ${other.prefix}`}`;
      }
    }
  }
}

/** The owner of a route, as named in messages. */
export function nameOfOwner(owner: string): string {
  return owner === theCore ? owner : `plugin ${owner}`;
}

function shapeOf(path: string): string {
  return path.replace(/:\w+/g, ':');
}

/** Whether one URL could match both paths. */
function overlap(a: string, b: string): boolean {
  const [left, right] = [a.split('/'), b.split('/')];
  return (
    left.length === right.length &&
    left.every((one, i) => one === right[i] || one.startsWith(':') || right[i]?.startsWith(':'))
  );
}

/** The router takes the first route that matches, so /things/new comes before /things/:id.csv, and this before /things/:id. */
function literalsFirst(a: OwnedRoute, b: OwnedRoute): number {
  const [left, right] = [a.path.split('/'), b.path.split('/')];
  if (left.length !== right.length) return left.length - right.length;
  for (let i = 0; i < left.length; i += 1) {
    const difference = openness(left[i]) - openness(right[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** 0 for a literal, 2 for a parameter, 1 for a parameter with an ending. */
function openness(segment = ''): number {
  if (!segment.startsWith(':')) return 0;
  return /^:\w+$/.test(segment) ? 2 : 1;
}
