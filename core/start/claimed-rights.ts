/** What claims of identity providers grant. The code for it is loaded only if the configuration says that they grant anything. */
import type { SubjectOf } from '../auth/claims.js';
import { operate } from '../auth/operator.js';
import type { Configuration } from '../config.js';
import { createPolicy } from '../policy/policy.js';
import type { Tenants } from '../policy/tenants.js';

export interface ClaimedRights {
  tenants: Tenants;
  subjectOf: SubjectOf;
}

export async function claimedRights({
  core: { auth },
  plugins,
}: Pick<Configuration, 'core' | 'plugins'>): Promise<ClaimedRights | undefined> {
  if (auth === undefined || (auth.roles.length === 0 && auth.tenants === undefined)) return undefined;
  const [{ grantsFromClaims, subjectsWith }, { tenantsIn }, { createTenants }] = await Promise.all([
    import('../auth/claims.js'),
    import('../auth/claims/tenants.js'),
    import('../policy/tenants.js'),
  ]);
  const rights = [operate, ...plugins.flatMap(({ plugin }) => plugin.rights ?? [])];
  return {
    tenants: createTenants(tenantsIn(auth), createPolicy()),
    subjectOf: subjectsWith(grantsFromClaims(auth, rights)),
  };
}
