/** Frees what replaced sets and killed loads left behind: nobody sees it, but it takes room. */
import { isFault, type PluginContext } from '../../../core/plugin.js';
import type { IntervalRepository } from '../contract.js';

/** Loads that were not heard of for so long are given up; for so long a list that was begun may go on. */
const idleMs = 10 * 60 * 1000;
const everyMs = 10 * 60 * 1000;

export function sweepIdle(repository: Pick<IntervalRepository, 'sweep'>, now: Date): Promise<number> {
  return repository.sweep(new Date(now.getTime() - idleMs));
}

/** Sweeps soon after the start, which does not wait for it, and now and then from there on. */
export function keepHouse(
  { now, log, onReady, onClose }: Pick<PluginContext<unknown>, 'now' | 'log' | 'onReady' | 'onClose'>,
  repository: Pick<IntervalRepository, 'sweep'>,
): void {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> | undefined;
  const sweep = async (): Promise<void> => {
    try {
      const freed = await sweepIdle(repository, now());
      if (freed > 0) log.info({ sets: freed }, 'replaced and interrupted sets of intervals cleared away');
    } catch (error) {
      log.warn({ reason: isFault(error) ? error.message : 'unexpected error' }, 'intervals not cleared away');
    }
  };
  const turn = (): void => {
    sweeping = sweep().finally(() => {
      sweeping = undefined;
    });
  };
  onReady(async () => {
    turn();
    timer = setInterval(() => sweeping ?? turn(), everyMs).unref();
  });
  onClose(async () => {
    clearInterval(timer);
    await sweeping;
  });
}
