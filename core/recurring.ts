/**
 * Work that every process repeats, such as freeing the space of data that no query returns any more: what interrupted loads
 * left behind, and replaced data.
 */
import { isFault } from './fault.js';
import type { PluginContext } from './plugin-context.js';

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

// Frees the space of data that no query returns any more.

export interface Sweepable {
  /** Abandons work without a sign of life since `idleSince`; returns how many loads or sets were freed. */
  sweep(idleSince: Date): Promise<number>;
}

export interface SweepRules {
  /** The field of the log with the count: `imports`. */
  unit: string;
  /** What is freed, for the log: `interrupted imports`. */
  what: string;
  /** Milliseconds without a sign of life after which work is abandoned. */
  idleMs: number;
}

const everyMs = 10 * 60 * 1000;

/** Sweeps once, for commands and loads that do not wait for the next regular sweep. */
export function sweepIdle(repository: Sweepable, { idleMs }: Pick<SweepRules, 'idleMs'>, now: Date): Promise<number> {
  return repository.sweep(new Date(now.getTime() - idleMs));
}

/** Sweeps soon after the start and every ten minutes from then on. */
export function keepSwept(
  context: Pick<PluginContext<unknown>, 'now' | 'log' | 'onReady' | 'onClose'>,
  repository: Sweepable,
  rules: SweepRules,
): void {
  recurring(context, {
    what: `clearing ${rules.what} away`,
    everyMs,
    async work() {
      const freed = await sweepIdle(repository, rules, context.now());
      if (freed > 0) context.log.info({ [rules.unit]: freed }, `${rules.what} cleared away`);
    },
  });
}
