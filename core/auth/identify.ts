/** Who sends a request: the credentials that every access accepts besides API tokens. */
import { Fault } from '../fault.js';
import type { Principal } from '../policy/caller.js';
import type { RequestHead } from './guard.js';

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
