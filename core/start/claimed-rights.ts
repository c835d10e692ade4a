/** What claims of identity providers grant. The code for it is loaded only if the configuration says that they grant anything. */
import type { SubjectOf } from '../auth/claims.js';
import type { Configuration } from '../config.js';
import { createPolicy } from '../policy/policy.js';
import type { Tenants } from '../policy/tenants.js';
import { rightsIn } from './rights.js';

export interface ClaimedRights {
  tenants: Tenants;
  subjectOf: SubjectOf;
}

export async function claimedRights(
  configuration: Pick<Configuration, 'core' | 'plugins'>,
): Promise<ClaimedRights | undefined> {
  const { auth } = configuration.core;
  if (auth === undefined || (auth.roles.length === 0 && auth.tenants === undefined)) return undefined;
  const [{ grantsFromClaims, subjectsWith }, { tenantsIn }, { createTenants }] = await Promise.all([
    import('../auth/claims.js'),
    import('../auth/claims/tenants.js'),
    import('../policy/tenants.js'),
  ]);
  return {
    tenants: createTenants(tenantsIn(auth), createPolicy()),
    subjectOf: subjectsWith(grantsFromClaims(auth, rightsIn(configuration))),
  };
}
