/** Loads the stored resources for commands, which run without a server. */
import type { CommandContext } from '../../../core/commands.js';
import { matchmakerResources } from '../resources/contract.js';
import type { Resources } from '../resources/resources.js';

export async function resourcesInUse(context: Pick<CommandContext, 'repository'>): Promise<Resources> {
  const { assemble } = await import('../resources/assemble.js');
  const { revision, resources } = await (await context.repository(matchmakerResources)).load();
  return assemble(revision, resources);
}
