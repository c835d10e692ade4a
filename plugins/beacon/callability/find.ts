/** Finds the service that knows which samples are covered where. */
import type { PluginContext } from '../../../core/plugin.js';
import type { CallabilityService } from '../../coverage/callability/service.js';

/** The key under which the coverage plugin offers it. */
export const callabilityKey = 'coverage/callability@1';

/** Undefined if there is none: what depends on it is then unknown. */
export type FindCallability = () => Promise<CallabilityService | undefined>;

/** That of the coverage plugin in the same server. */
export function findCallability(context: Pick<PluginContext<unknown>, 'find'>): FindCallability {
  return async () => context.find(callabilityKey);
}
