/** Frees what replaced sets and killed loads left behind: nobody sees it, but it takes room. */
import { type PluginContext, recurring } from '../../../core/plugin.js';
import type { IntervalRepository } from '../contract.js';

/** Loads that were not heard of for so long are given up; for so long a list that was begun may go on. */
const idleMs = 10 * 60 * 1000;
const everyMs = 10 * 60 * 1000;

export function sweepIdle(repository: Pick<IntervalRepository, 'sweep'>, now: Date): Promise<number> {
  return repository.sweep(new Date(now.getTime() - idleMs));
}

export function keepHouse(
  context: Pick<PluginContext<unknown>, 'now' | 'log' | 'onReady' | 'onClose'>,
  repository: Pick<IntervalRepository, 'sweep'>,
): void {
  recurring(context, {
    what: 'clearing intervals away',
    everyMs,
    async work() {
      const freed = await sweepIdle(repository, context.now());
      if (freed > 0) context.log.info({ sets: freed }, 'replaced and interrupted sets of intervals cleared away');
    },
  });
}
