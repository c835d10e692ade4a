/** Access tokens of a configured issuer. */
import type { JWTPayload } from 'jose';
import { kindOf } from '../token-kind.js';
import type { Compact } from './compact.js';
import type { IssuerSettings } from './settings.js';
import { isCurrent, isPlainHeader, nameOf } from './signed.js';

export interface AccessToken {
  subject: string;
  /** Whether it names this server as its audience, so that its claims count. */
  isForUs: boolean;
  /** Whether it may be used to fetch visas: it has both scopes, as whole words (AAI profile 1.2). */
  hasPassportScope: boolean;
}

/**
 * What a token says that claims to be an access token of this issuer; undefined if it may not be accepted, whatever its
 * signature. `now` in seconds since 1970.
 */
export function accessTokenIn(
  { header, claims }: Compact,
  settings: IssuerSettings,
  now: number,
): AccessToken | undefined {
  const { issuer, algorithms, audience, requireAudience, clockTolerance } = settings;
  const subject = nameOf(claims.sub);
  const scopes = typeof claims.scope === 'string' ? claims.scope.split(' ') : [];
  const hasPassportScope = scopes.includes('openid') && scopes.includes('ga4gh_passport_v1');
  const isForUs = [claims.aud].flat().some((one) => [audience].flat().includes(one as string));
  const needsNoAudience = !requireAudience && claims.aud === undefined && hasPassportScope;
  const isAccessToken =
    typeof (header.typ ?? '') === 'string' &&
    kindOf({ typ: header.typ as string }, claims as JWTPayload) === 'access' &&
    // A visa has a subject, an issuer and times like an access token.
    claims.ga4gh_visa_v1 === undefined;
  const isValid =
    isAccessToken &&
    isPlainHeader(header, algorithms) &&
    claims.iss === issuer &&
    (isForUs || needsNoAudience) &&
    isCurrent({ ...claims, iat: claims.iat ?? 0 }, now, clockTolerance);
  return isValid && subject !== undefined ? { subject, isForUs, hasPassportScope } : undefined;
}
