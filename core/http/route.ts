/** One declaration of a route: it gives validation, types, authorisation, documentation and, in tests, a check of the answer. */
import type { ZodType } from 'zod';
import type { Access, OptionalAccess, RequestHead } from '../auth/guard.js';
import type { Principal } from '../policy/caller.js';
import type { StorageLog } from '../storage.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The caller, if the route declares an access. */
type Asker<Guard> = Guard extends Access ? Principal : undefined;

/** What a handler gets. `params`, `query` and `body` are what the declared schemas made of the input. */
export interface RouteRequest<Params, Query, Body, Guard = Access | undefined> extends RequestHead {
  params: Params;
  /** As validated; see `head.query` of RequestHead for what was sent. */
  input: Query;
  body: Body;
  /** The media type of the body that was read, without parameters; undefined where there was none. */
  bodyType: string | undefined;
  /** Who sent the request; undefined if the route declares no access. */
  principal: Asker<Guard>;
  /** Content-Security-Policy nonce for inline styles and scripts of HTML answers. */
  nonce: string;
  log: StorageLog;
  /** Aborted when the client goes away or the request times out. */
  signal: AbortSignal;
}

export interface Answer {
  /** 200 where absent. */
  status?: number;
  headers?: Record<string, string>;
  /** Media type; `application/json` where absent. */
  type?: string;
  /** JSON data for JSON types; text, bytes, a stream or markup of `html` for others. Undefined: no content. */
  body?: unknown;
}

/** Documentation of one answer; JSON answers are checked against the schema in tests. */
export interface AnswerDeclaration {
  description: string;
  /** Media type → schema; a schema for `text/html` documents only. */
  content?: Record<string, ZodType>;
}

export interface BodyDeclaration<Body> {
  /** Accepted media types; `application/json` and `application/x-www-form-urlencoded` are parsed. Others: 415. */
  types: readonly ('application/json' | 'application/x-www-form-urlencoded' | (string & {}))[];
  schema: ZodType<Body>;
  /** For the documentation: bodies of these types look otherwise than `schema`, as forms with a file do. */
  looks?: Readonly<Record<string, ZodType>>;
  /** Bytes; the configuration's limit where absent. Larger bodies: 413. */
  limit?: number;
  /**
   * Reads multipart forms into memory, with at most one file of so many bytes: they arrive as a SmallForm, and their fields
   * may hold a credential. Of a file that comes before it no more than `limit` bytes are taken.
   */
  form?: { file: number };
  /** Bytes of bodies that are handed on as a stream, where these may be larger; `limit` where absent. */
  streamLimit?: number;
}

export interface RouteDeclaration<
  Params = unknown,
  Query = unknown,
  Body = unknown,
  Guard extends Access | undefined = Access | undefined,
> {
  method: Method | readonly Method[];
  /** `/apiv1.0/query`, parameters as `/patient/:id`. With and without a trailing slash are one path. */
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
   * Pages of any origin may call it (without cookies), unless the configuration names origins. For questions that
   * anybody may ask, never for a route that changes anything. The path has no parameters.
   */
  anyOrigin?: boolean;
  params?: ZodType<Params>;
  /**
   * Query-string schema; repeated parameters arrive as arrays. Nothing is passed on where absent. On a route of several
   * methods that declares a body too, it is for those without a body.
   */
  query?: ZodType<Query>;
  /** Read for POST, PUT, PATCH and DELETE. */
  body?: BodyDeclaration<Body>;
  answers: Record<number, AnswerDeclaration>;
  handle(request: RouteRequest<Params, Query, Body, Guard>): Promise<Answer> | Answer;
}

/** Keeps the types of a declaration's schemas, and whether it declares an access, in its handler. */
export function route<Params = unknown, Query = unknown, Body = unknown, Guard extends Access | undefined = undefined>(
  declaration: RouteDeclaration<Params, Query, Body, Guard>,
): RouteDeclaration<Params, Query, Body, Guard> {
  return declaration;
}
