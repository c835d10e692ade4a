/** The tenants of the configuration. */
import type { Tenant } from '../../policy/tenants.js';
import type { AuthSettings } from '../settings.js';

/** By name, as the configuration orders them. */
export function tenantsIn(auth: Pick<AuthSettings, 'tenants'> | undefined): Tenant[] {
  return Object.entries(auth?.tenants ?? {}).map(([name, { members: _, ...things }]) => ({ name, ...things }));
}
