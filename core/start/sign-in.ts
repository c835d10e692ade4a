/** Sign-in of people, if it is configured: only then are its modules loaded. */

import type { Logger } from 'pino';
import type { Holdings } from '../auth/passport/holdings.js';
import { sessions } from '../auth/sessions/contract.js';
import type { Configuration } from '../config.js';
import type { SignIn } from '../http/sign-in/sign-in.js';
import type { StorageScope } from '../storage.js';
import { rightsIn } from './rights.js';

export interface SignInParts {
  configuration: Configuration;
  storage: StorageScope;
  log: Logger;
  now(): Date;
}

export async function signInOf(parts: SignInParts): Promise<SignIn | undefined> {
  const { configuration, storage, log, now } = parts;
  const { auth, http } = configuration.core;
  if (auth?.signIn === undefined || http.baseUrl === undefined) return undefined;
  const [{ createSignIn }, { grantsFromClaims }] = await Promise.all([
    import('../http/sign-in/sign-in.js'),
    import('../auth/claims.js'),
  ]);
  return createSignIn({
    settings: auth.signIn,
    repository: storage.repository(sessions),
    grantsFromClaims: grantsFromClaims(auth, rightsIn(configuration)),
    ...(auth.visaIssuers.length > 0 && { holdings: await holdingsOf(parts) }),
    baseUrl: http.baseUrl.replace(/\/+$/, ''),
    log: log.child({ part: 'sign-in' }),
    now,
  });
}

/** The visas that a provider tells of at sign-in are judged by the same rules as those of access tokens. */
async function holdingsOf({ configuration: { core }, log, now }: SignInParts): Promise<Holdings> {
  const [{ createHoldings }, { visaChecker }] = await Promise.all([
    import('../auth/passport/holdings.js'),
    import('../auth/passport/visa.js'),
  ]);
  const { visaIssuers: issuers = [], visaGrants: grants = [], researchers } = core.auth ?? {};
  const own = log.child({ part: 'sign-in' });
  return createHoldings({
    check: visaChecker({ issuers, log: own, now }),
    rules: { grants, researchers },
    log: own,
    now,
  });
}
