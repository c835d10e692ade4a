/** Frees what killed loads left behind: nobody sees it, but it takes room. */
import { type PluginContext, recurring } from '../../../core/plugin.js';
import type { BeaconRepository } from '../contract.js';

/** Imports that were not heard of for so long are given up. */
const idleMs = 2 * 60 * 1000;
const everyMs = 10 * 60 * 1000;

export function sweepIdle(repository: Pick<BeaconRepository, 'sweep'>, now: Date): Promise<number> {
  return repository.sweep(new Date(now.getTime() - idleMs));
}

export function keepSwept(
  context: Pick<PluginContext<unknown>, 'now' | 'log' | 'onReady' | 'onClose'>,
  repository: Pick<BeaconRepository, 'sweep'>,
): void {
  recurring(context, {
    what: 'clearing imports away',
    everyMs,
    async work() {
      const freed = await sweepIdle(repository, context.now());
      if (freed > 0) context.log.info({ imports: freed }, 'interrupted imports cleared away');
    },
  });
}
