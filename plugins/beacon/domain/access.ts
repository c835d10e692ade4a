/** Who may hear of which dataset. */
import { Fault, type RequestHead } from '../../../core/plugin.js';
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

/** From a bearer token to the ids of the protected datasets that it opens. */
export type Opened = (token: string) => Promise<ReadonlySet<string>>;

/** No token opens a protected dataset so far. */
const openedByNone: Opened = async () => new Set();

/** Reads the Authorization header (RFC 6750); an `unauthenticated` fault where it is there and is no bearer token. */
export function accessBy(opened: Opened = openedByNone): AccessOf {
  return async ({ headers }) => {
    const { authorization } = headers;
    if (authorization === undefined) return { rights: anonymousRights, token: false };
    const ids = await opened(bearerToken(authorization));
    return { rights: (dataset) => anonymousRights(dataset) || ids.has(dataset.id), token: true };
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
