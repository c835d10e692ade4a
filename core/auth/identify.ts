/**
 * How routes identify their callers: what every access implements, and the credentials that every access accepts besides API
 * tokens.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Fault } from '../fault.js';
import type { Caller, Principal, Right } from '../policy/policy.js';

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
  /** The CSRF token in a posted form, once that was read; see `core/auth/sessions/keeper.ts`. */
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

// Who sends a request: the credentials that every access accepts besides API tokens.

/** The part of a request that may bring a credential. */
export type CredentialHead = Pick<RequestHead, 'headers' | 'method' | 'csrf'>;

/**
 * Finds the caller by one kind of credential. Returns undefined if the request brings none of this kind. Throws an
 * `unauthenticated` fault, with a challenge, if the credential is not valid: a client must not take the answer for an
 * anonymous caller for its own.
 */
export type CallerSource = (head: CredentialHead) => Promise<Principal | undefined>;

export interface CallerSources {
  /** Tokens of identity providers in `Authorization: Bearer`. All other bearer tokens are taken for API tokens. */
  readonly bearer?: CallerSource;
  /** The session of a person who has signed in. It counts only alone, since browsers send cookies unasked. */
  readonly session?: CallerSource;
  /** Whether the caller by a session is known only once the posted form was read. */
  waitsForForm?(head: CredentialHead): boolean;
}

/**
 * Makes the function that every access asks before it looks for an API token in `Authorization`. An API token in
 * `X-Auth-Token` comes first and is the access's own business; two callers in one request are refused.
 */
export function identify({ bearer, session }: CallerSources): CallerSource {
  return async (head) => {
    const { authorization, 'x-auth-token': apiToken } = head.headers;
    if (authorization !== undefined) {
      const caller = await bearer?.(head);
      if (caller !== undefined && apiToken !== undefined) throw twoCallers();
      return caller;
    }
    return apiToken === undefined ? session?.(head) : undefined;
  };
}

function twoCallers(): Fault {
  return new Fault(
    'unauthenticated',
    'The request brings an API token in X-Auth-Token and an access token in Authorization; send one of them',
    { headers: { 'WWW-Authenticate': 'Bearer realm="trefoil", error="invalid_request"' } },
  );
}

/** The token in `Authorization: Bearer`; undefined for any other header. */
export function bearerIn({ headers }: CredentialHead): string | undefined {
  return /^Bearer +([^ ]+) *$/i.exec(headers.authorization ?? '')?.[1];
}
