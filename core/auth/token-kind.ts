/** The purpose of a signed token of an identity provider, from its header and claims. */
import type { JWTHeaderParameters, JWTPayload } from 'jose';

/**
 * `access` is for an API; `id` tells a client who has signed in (OpenID Connect Core, section 2); `other` is neither, such
 * as a logout token (Back-Channel Logout, section 2.4) or a refresh token.
 */
export type TokenKind = 'access' | 'id' | 'other';

/** The header's type of access tokens (RFC 9068), with providers' prefixes. `JWT` or no type leaves the kind open. */
const accessType = /(?:^|[/-])at\+jwt$/i;
/** Keycloak states the kind of a token in its claims. */
const claimedKinds: Readonly<Record<string, TokenKind>> = { bearer: 'access', dpop: 'access', id: 'id' };

export function kindOf({ typ }: Pick<JWTHeaderParameters, 'typ'>, claims: JWTPayload): TokenKind {
  const accessByHeader = typ !== undefined && accessType.test(typ);
  if (!accessByHeader && typ !== undefined && !/^(?:application\/)?jwt$/i.test(typ)) return 'other';
  // The claim of security events: logout tokens have it, and other tokens must not.
  if (claims.events !== undefined) return 'other';
  const { typ: claimed } = claims;
  if (typeof claimed === 'string' && !/^jwt$/i.test(claimed)) return claimedKinds[claimed.toLowerCase()] ?? 'other';
  if (accessByHeader) return 'access';
  const hasHash = ['at_hash', 'c_hash', 's_hash'].some((name) => claims[name] !== undefined);
  // A nonce is for the client that asked for the sign-in; some access tokens carry it beside their scopes.
  const forClient = claims.nonce !== undefined && claims.scope === undefined && claims.scp === undefined;
  return hasHash || forClient ? 'id' : 'access';
}
