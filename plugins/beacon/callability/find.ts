/** Finds the service that knows which samples are covered where. */
import type { CommandContext } from '../../../core/commands.js';
import type { PluginContext } from '../../../core/plugin.js';
import type { CallabilityService } from '../../coverage/callability/service.js';
import type { BeaconSettings } from '../settings.js';

/** The key under which the coverage plugin offers it. */
export const callabilityKey = 'coverage/callability@1';

/** Undefined if there is none: what depends on it is then unknown. */
export type FindCallability = () => Promise<CallabilityService | undefined>;

/** That of another server if one is configured, else that of the coverage plugin; in a server or a command. */
export function findCallability({
  settings: { callability },
  find,
}:
  | Pick<PluginContext<BeaconSettings>, 'find' | 'settings'>
  | Pick<CommandContext<BeaconSettings>, 'find' | 'settings'>): FindCallability {
  if (callability === undefined) return async () => find<CallabilityService>(callabilityKey);
  let remote: Promise<CallabilityService> | undefined;
  return () => {
    remote ??= import('./remote.js').then(({ remoteCallability }) => remoteCallability(callability));
    return remote;
  };
}
