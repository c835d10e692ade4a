/** Passports: tokens of a broker that contain a person's visas. */
import type { Compact, Members } from '../issuers/compact.js';
import type { IssuerSettings } from '../issuers/settings.js';
import { isCurrent, isPlainHeader, nameOf, usualAlgorithms } from '../issuers/signed.js';

const types: readonly string[] = ['vnd.ga4gh.passport+jwt', 'application/vnd.ga4gh.passport+jwt'];

/** Whether a token says that it is a passport. */
export function isPassport({ header }: Pick<Compact, 'header'>): boolean {
  return typeof header.typ === 'string' && types.includes(header.typ.toLowerCase());
}

/**
 * The claims of a passport of this issuer that is valid now; undefined otherwise. Its signature is not checked here. An
 * audience is optional (AAI profile 1.2), but if there is one it must be ours. `now` in seconds since 1970.
 */
export function passportClaims(passport: Compact, settings: IssuerSettings, now: number): Members | undefined {
  const { header, claims } = passport;
  const { issuer, audience, clientId, clockTolerance } = settings;
  const own = [audience, clientId ?? []].flat();
  const isOurs = claims.aud === undefined || [claims.aud].flat().some((one) => own.includes(one as string));
  const isValid =
    isPassport(passport) &&
    isPlainHeader(header, usualAlgorithms) &&
    claims.iss === issuer &&
    nameOf(claims.sub) !== undefined &&
    isOurs &&
    Array.isArray(claims.ga4gh_passport_v1) &&
    isCurrent(claims, now, clockTolerance);
  return isValid ? claims : undefined;
}
