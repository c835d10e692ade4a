/** Finds the service that knows which samples are covered where. */
import type { CommandContext } from '../../../core/commands.js';
import type { PluginContext } from '../../../core/plugin.js';
import type { CallabilityService, TenantCallability } from '../../services/coverage.js';
import type { Dataset } from '../contract.js';
import type { BeaconSettings } from '../settings.js';

/** The key under which the coverage plugin offers it. */
const callabilityKey = 'coverage/callability@1';

/**
 * For the samples of a dataset. That of a tenant is answered from the tenant's own coverage files: no link that a loader states
 * shows what the samples of others cover. Undefined if there is no service: what depends on it is then unknown.
 */
export type FindCallability = (dataset: Pick<Dataset, 'id'>) => Promise<CallabilityService | undefined>;

/** That of another server if one is configured (where the token says which samples it is of), else that of the coverage plugin; in a server or a command. */
export function findCallability({
  settings: { callability },
  find,
  tenants = [],
}:
  | Pick<PluginContext<BeaconSettings>, 'find' | 'settings' | 'tenants'>
  | Pick<CommandContext<BeaconSettings>, 'find' | 'settings' | 'tenants'>): FindCallability {
  if (callability === undefined) {
    const all = 'all' in tenants ? tenants.all : tenants;
    return async ({ id }) => {
      const service = await find<TenantCallability>(callabilityKey);
      const owners = all.filter(({ datasets }) => datasets.includes(id)).map(({ name }) => name);
      return owners.length === 0 ? service : service?.ofTenants(owners);
    };
  }
  let remote: Promise<CallabilityService> | undefined;
  return () => {
    remote ??= import('./remote.js').then(({ remoteCallability }) => remoteCallability(callability));
    return remote;
  };
}
