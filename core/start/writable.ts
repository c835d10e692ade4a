/** Tests in the background whether the storage accepts writes, so that no probe has to wait for a disk. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isFault } from '../fault.js';
import type { Storage, StorageLog } from '../storage.js';

/** Milliseconds for which a result holds: shorter after a failure, so that a recovery is noticed sooner. */
const holds = { yes: 30_000, no: 5000 };
/** Milliseconds that the first caller waits; a writer may hold the lock for longer. */
const patience = 1000;

/** Makes a function that returns whether the last trial write succeeded; undefined if there was none. */
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
