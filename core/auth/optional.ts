/** Credentials on routes that every client may call and that show more to callers with a right. */
import { Fault } from '../fault.js';
import { anonymous, type Caller, heldGrants, type TokenHolder } from '../policy/caller.js';
import type { Right } from '../policy/right.js';
import { invalidToken, type TokenAccesses, tokenChallenge, tokenScheme } from './access.js';
import { passwordIn } from './browser.js';
import type { Access, OptionalAccess } from './guard.js';

const bearerScheme: Access['scheme'] = {
  name: 'apiTokenAsBearer',
  definition: { type: 'http', scheme: 'bearer', description: 'The same API token as a bearer token (RFC 6750).' },
};

/**
 * Reads an API token from `X-Auth-Token` and from `Authorization: Bearer` (RFC 6750). A browser sends it as a password to
 * the whole server once a page has asked for one, so that a valid token is accepted there too. An invalid credential causes
 * an `unauthenticated` fault, so that no client mistakes an anonymous response for its own. The scopes of two valid
 * tokens add up. The challenge for bearer tokens names `realm`.
 */
export function optionalAccess(
  { holderOf, identify }: Pick<TokenAccesses, 'holderOf' | 'identify'>,
  right: Right,
  realm: string,
): OptionalAccess {
  const unauthenticated = (message: string, error: string) =>
    new Fault('unauthenticated', message, {
      headers: { 'WWW-Authenticate': `Bearer realm="${realm}", error="${error}"` },
    });

  /** The holder of a token that a browser sends as a password. */
  async function browserHolder(authorization: string): Promise<TokenHolder | undefined> {
    const password = passwordIn(authorization);
    return password === undefined ? undefined : holderOf(password);
  }

  function bearerToken(authorization: string): string {
    const [scheme = '', token, ...more] = authorization.split(' ');
    if (!token || more.length > 0) throw unauthenticated('Missing authentication token', 'invalid_request');
    if (scheme.toLowerCase() !== 'bearer') throw unauthenticated('Bearer token scheme required', 'invalid_request');
    return token;
  }

  return {
    schemes: [tokenScheme, bearerScheme],
    right,
    async callerOf(head): Promise<Caller> {
      const caller = await identify(head);
      if (caller !== undefined) return caller;
      const { headers } = head;
      const { authorization } = headers;
      const own = headers['x-auth-token'];
      let holder: TokenHolder | undefined;
      if (own !== undefined) {
        holder = await holderOf(String(own));
        if (holder === undefined) {
          throw new Fault('unauthenticated', invalidToken, { headers: { 'WWW-Authenticate': tokenChallenge } });
        }
      }
      if (authorization !== undefined) {
        const bearer = (await browserHolder(authorization)) ?? (await holderOf(bearerToken(authorization)));
        if (bearer === undefined) {
          throw unauthenticated('The access token is not valid: unknown, expired or revoked', 'invalid_token');
        }
        holder = holder === undefined ? bearer : both(holder, bearer);
      }
      return holder ?? anonymous;
    },
  };
}

function both(own: TokenHolder, bearer: TokenHolder): TokenHolder {
  return { ...own, [heldGrants]: [...own[heldGrants], ...bearer[heldGrants]] };
}
