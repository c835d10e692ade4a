/** Generations of protected datasets, for commands. */
import type { CommandContext } from '../../../core/commands.js';
import { beacon, beaconProtection } from '../contract.js';
import type { BeaconSettings } from '../settings.js';
import { type Generations, generations } from './generations.js';
import { protectsAny } from './profiles.js';

type Context = Pick<CommandContext<BeaconSettings>, 'repository' | 'settings' | 'now'>;

export async function generationsFor({
  repository,
  settings: { protection: settings },
  now,
}: Context): Promise<Generations> {
  const protection = protectsAny(settings) ? await repository(beaconProtection) : undefined;
  return generations({ repository: await repository(beacon), protection, settings, now });
}
