/** Deletes records of matches whose time is up. */
import { isFault, type PluginContext } from '../../../core/plugin.js';
import type { MatchRepository } from '../contract.js';

const everyMs = 60 * 60 * 1000;
const day = 24 * 60 * 60 * 1000;

/** Looks soon after the start, which does not wait for it, and every hour from there on; 0 days keeps all. */
export function keepExpired(
  { now, log, onReady, onClose }: Pick<PluginContext<unknown>, 'now' | 'log' | 'onReady' | 'onClose'>,
  repository: Pick<MatchRepository, 'expire'>,
  days: number,
): void {
  if (days === 0) return;
  let timer: NodeJS.Timeout | undefined;
  let expiring: Promise<void> | undefined;
  const expire = async (): Promise<void> => {
    try {
      const records = await repository.expire(new Date(now().getTime() - days * day));
      if (records > 0) log.info({ records }, 'records of matches expired');
    } catch (error) {
      log.warn({ reason: isFault(error) ? error.message : 'unexpected error' }, 'records of matches not expired');
    }
  };
  const turn = (): void => {
    expiring = expire().finally(() => {
      expiring = undefined;
    });
  };
  onReady(async () => {
    turn();
    timer = setInterval(() => expiring ?? turn(), everyMs).unref();
  });
  onClose(async () => {
    clearInterval(timer);
    await expiring;
  });
}
