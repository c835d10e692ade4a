/** Who may hear of which dataset. */
import { Fault, type Principal, type RequestHead } from '../../../core/plugin.js';
import type { Dataset } from '../contract.js';

/** True where answers about alleles may depend on the dataset. */
export type Rights = (dataset: Dataset) => boolean;

/** What everybody may ask. */
export const anonymousRights: Rights = (dataset) => dataset.access === 'PUBLIC';

/** What a request's credentials come to. */
export interface Access {
  rights: Rights;
  /** Whether there is a token at all: who has none may come back with one. */
  token: boolean;
}

export type AccessOf = (request: RequestHead) => Promise<Access>;

/** Whose token it is; undefined for one that is not valid. */
export type HolderOf = (token: string) => Promise<Principal | undefined>;

/**
 * Reads `X-Auth-Token` and `Authorization: Bearer` (RFC 6750); an `unauthenticated` fault if one of them is there and is
 * not valid, so that nobody takes an anonymous answer for their own. No token opens a protected dataset so far.
 */
export function accessBy(holderOf: HolderOf): AccessOf {
  return async ({ headers }) => {
    const { authorization } = headers;
    const own = headers['x-auth-token'];
    if (own !== undefined && !(await holderOf(String(own)))) {
      throw new Fault('unauthenticated', 'The API token is not valid: unknown, expired or revoked', {
        headers: { 'WWW-Authenticate': 'X-Auth-Token realm="trefoil"' },
      });
    }
    if (authorization !== undefined && !(await holderOf(bearerToken(authorization)))) {
      throw unauthenticated('The access token is not valid: unknown, expired or revoked', 'invalid_token');
    }
    return { rights: anonymousRights, token: own !== undefined || authorization !== undefined };
  };
}

function bearerToken(authorization: string): string {
  const [scheme = '', token, ...more] = authorization.split(' ');
  if (!token || more.length > 0) throw unauthenticated('Missing authentication token', 'invalid_request');
  if (scheme.toLowerCase() !== 'bearer') throw unauthenticated('Bearer token scheme required', 'invalid_request');
  return token;
}

/** For a request that names only datasets that it has no right to. */
export function withoutRight(token: boolean): Fault {
  if (!token) return unauthenticated('The requested datasets are not public: an access token is required');
  return new Fault('forbidden', 'The access token does not open the requested datasets', {
    headers: { 'WWW-Authenticate': 'Bearer realm="beacon", error="insufficient_scope"' },
  });
}

function unauthenticated(message: string, error?: string): Fault {
  const challenge = `Bearer realm="beacon"${error === undefined ? '' : `, error="${error}"`}`;
  return new Fault('unauthenticated', message, { headers: { 'WWW-Authenticate': challenge } });
}
