/** How routes identify their callers: what every access implements. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller, Principal } from '../policy/caller.js';
import type { Right } from '../policy/right.js';

/** What is known of a request before its body is read. */
export interface RequestHead {
  method: string;
  path: string;
  /** Names in lower case. */
  headers: IncomingHttpHeaders;
  /** As sent: a repeated parameter is an array. */
  query: Readonly<Record<string, string | string[] | undefined>>;
  /** The request's id, also in the log and in the response's `X-Request-Id`. */
  id: string;
  /** The client's address; behind a proxy that the configuration does not trust, the proxy's. */
  ip: string;
  /** The CSRF token in a posted form, once that was read; see `core/auth/sessions/source.ts`. */
  csrf?: string;
}

/** An OpenAPI security scheme. */
export interface SecurityScheme {
  name: string;
  definition: Record<string, unknown>;
}

/** How a route identifies its caller. Throws `unauthenticated` (with WWW-Authenticate) or `forbidden` faults. */
export interface Access {
  scheme: SecurityScheme;
  /** The right that the caller must have, for the documentation. */
  right?: Right;
  /** Called before the body is read. Undefined defers to `checkBody`, or refuses the request if there is none. */
  check(head: RequestHead): Promise<Principal | undefined>;
  /** For credentials in a form: called once the body is parsed, before validation, if `check` returned undefined. */
  checkBody?(head: RequestHead, body: unknown): Promise<Principal>;
}

/** For routes that every client may call and that show more to callers with a right. The handler calls `callerOf`. */
export interface OptionalAccess {
  schemes: readonly SecurityScheme[];
  /** What a credential may add, for the documentation. */
  right: Right;
  /** Returns the caller, anonymous without a credential. Throws `unauthenticated` if a credential is not valid. */
  callerOf(head: Pick<RequestHead, 'headers' | 'method' | 'csrf'>): Promise<Caller>;
}
