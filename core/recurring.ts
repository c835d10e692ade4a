/** Work that every process repeats. */
import { isFault } from './fault.js';
import type { PluginContext } from './plugin/context.js';

export interface Recurring {
  /** Names the work in the log if it fails: `deleting old records`. */
  what: string;
  everyMs: number;
  work(): Promise<void>;
}

/** Runs the work at the start, which does not wait for it, and then at each interval; never twice concurrently. */
export function recurring(
  { log, onReady, onClose }: Pick<PluginContext<unknown>, 'log' | 'onReady' | 'onClose'>,
  { what, everyMs, work }: Recurring,
): void {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const turn = (): void => {
    running = work()
      .catch((error: unknown) => {
        log.warn({ reason: isFault(error) ? error.message : 'unexpected error' }, `${what} failed`);
      })
      .finally(() => {
        running = undefined;
      });
  };
  onReady(async () => {
    turn();
    timer = setInterval(() => running ?? turn(), everyMs).unref();
  });
  onClose(async () => {
    clearInterval(timer);
    await running;
  });
}
