/**
 * What is declared of HTTP: routes, once for validation, types, authorisation, documentation and a check of answers in tests;
 * the classes of requests; and error bodies that an interface prescribes.
 */
import type { ZodType } from 'zod';
import type { Access, OptionalAccess, RequestHead } from '../auth/identify.js';
import type { Fault } from '../fault.js';
import type { Principal } from '../policy/policy.js';
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
