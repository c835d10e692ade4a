/** Finds the service that knows which samples are covered where. */
import type { CommandContext } from '../../../core/commands.js';
import type { PluginContext } from '../../../core/plugin.js';
import type { CallabilityService } from '../../coverage/callability/service.js';

/** The key under which the coverage plugin offers it. */
export const callabilityKey = 'coverage/callability@1';

/** Undefined if there is none: what depends on it is then unknown. */
export type FindCallability = () => Promise<CallabilityService | undefined>;

/** That of the coverage plugin, in a server or a command. */
export function findCallability({
  find,
}: Pick<PluginContext<unknown>, 'find'> | Pick<CommandContext, 'find'>): FindCallability {
  return async () => find<CallabilityService>(callabilityKey);
}
