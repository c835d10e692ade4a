/** Door `trefoil/openid`: routes that require an access token of an OpenID Connect provider. */

export { type AcceptedTokens, type BearerOptions, type BearerVerifier, bearerVerifier } from './auth/bearer.js';
export { formOrCookieAccess, headerAccess } from './auth/carried.js';
export { jsonObject } from './auth/issuers/compact.js';
