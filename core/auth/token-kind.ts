/** What a signed token of an identity provider is for, as its header and claims tell. */
import type { JWTHeaderParameters, JWTPayload } from 'jose';

/**
 * `access` opens an API; `id` tells a client who has signed in (OpenID Connect Core, section 2); `other` is neither, such
 * as a logout token (Back-Channel Logout, section 2.4) or a refresh token.
 */
export type TokenKind = 'access' | 'id' | 'other';

/** RFC 9068 for access tokens, with prefixes of providers; `JWT` and nothing say nothing. */
const accessType = /(?:^|[/-])at\+jwt$/i;
/** Keycloak writes what a token is into its claims. */
const claimedKinds: Readonly<Record<string, TokenKind>> = { bearer: 'access', dpop: 'access', id: 'id' };

export function kindOf({ typ }: Pick<JWTHeaderParameters, 'typ'>, claims: JWTPayload): TokenKind {
  const accessByHeader = typ !== undefined && accessType.test(typ);
  if (!accessByHeader && typ !== undefined && !/^(?:application\/)?jwt$/i.test(typ)) return 'other';
  // The claim of security events, which logout tokens bear and the others must not.
  if (claims.events !== undefined) return 'other';
  const { typ: claimed } = claims;
  if (typeof claimed === 'string' && !/^jwt$/i.test(claimed)) return claimedKinds[claimed.toLowerCase()] ?? 'other';
  if (accessByHeader) return 'access';
  const hasHash = ['at_hash', 'c_hash', 's_hash'].some((name) => claims[name] !== undefined);
  // A nonce is for the client that asked for the sign-in; some access tokens bear it beside their scopes.
  const forClient = claims.nonce !== undefined && claims.scope === undefined && claims.scp === undefined;
  return hasHash || forClient ? 'id' : 'access';
}
