/**
 * Sign-in of people, and what claims of identity providers grant them. Their modules are loaded only if the configuration has
 * them.
 */
import type { Logger } from 'pino';
import type { SubjectOf } from '../auth/claims.js';
import { sessions } from '../auth/contract.js';
import type { Holdings } from '../auth/passport/holdings.js';
import type { Configuration } from '../config.js';
import type { SignIn } from '../http/sign-in/sign-in.js';
import { createPolicy } from '../policy/policy.js';
import type { Tenants } from '../policy/tenants.js';
import { rightsIn } from '../rights.js';
import type { StorageScope } from '../storage.js';

interface SignInParts {
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

/** The visas that a provider sends at sign-in are judged by the same rules as those of access tokens. */
async function holdingsOf({ configuration: { core }, log, now }: SignInParts): Promise<Holdings> {
  const [{ createHoldings }, { visaChecker }] = await Promise.all([
    import('../auth/passport/holdings.js'),
    import('../auth/passport/visas.js'),
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

// What claims of identity providers grant. The code for it is loaded only if the configuration says that they grant anything.

interface ClaimReading {
  tenants: Tenants;
  subjectOf: SubjectOf;
}

export async function claimedRights(
  configuration: Pick<Configuration, 'core' | 'plugins'>,
): Promise<ClaimReading | undefined> {
  const { auth } = configuration.core;
  if (auth === undefined || (auth.roles.length === 0 && auth.tenants === undefined)) return undefined;
  const [{ grantsFromClaims, subjectsWith, tenantsIn }, { createTenants }] = await Promise.all([
    import('../auth/claims.js'),
    import('../policy/tenants.js'),
  ]);
  return {
    tenants: createTenants(tenantsIn(auth), createPolicy()),
    subjectOf: subjectsWith(grantsFromClaims(auth, rightsIn(configuration))),
  };
}
