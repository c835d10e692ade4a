/** Whether the storage takes writes: tried now and then, so that no probe has to wait for a disk. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isFault } from '../fault.js';
import type { Storage, StorageLog } from '../storage.js';

/** Milliseconds for which an answer holds: a disk that is full again and again is looked at more often. */
const holds = { yes: 30_000, no: 5000 };
/** Milliseconds for which the first caller waits; a writer may hold the lock for longer. */
const patience = 1000;

/** Returns what the last trial write came to; undefined if there was none yet, or if the adapter has none. */
export function writeTrials(
  storage: Pick<Storage, 'tryWrite'>,
  log: StorageLog,
  now: () => number = () => performance.now(),
): () => Promise<boolean | undefined> {
  let last: { writable: boolean; at: number } | undefined;
  let running: Promise<void> | undefined;

  async function attempt(): Promise<void> {
    let reason: string | undefined;
    try {
      await storage.tryWrite?.();
    } catch (error) {
      reason = isFault(error) ? error.message : 'an unexpected error';
    }
    const before = last?.writable ?? true;
    last = { writable: reason === undefined, at: now() };
    if (before && reason !== undefined) log.error({ reason }, 'the storage takes no writes');
    if (!before && reason === undefined) log.info({}, 'the storage takes writes again');
  }

  return async () => {
    if (storage.tryWrite === undefined) return undefined;
    const due = last === undefined || now() - last.at >= (last.writable ? holds.yes : holds.no);
    if (due) {
      running ??= attempt().finally(() => {
        running = undefined;
      });
    }
    if (last === undefined) await Promise.race([running, sleep(patience, undefined, { ref: false })]);
    return last?.writable;
  };
}
