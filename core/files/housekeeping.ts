/** Removes uploads that are no longer needed: at the start, soon after a job, and every minute. */
import { isFault } from '../fault.js';
import type { Jobs, PluginContext } from '../plugin/context.js';
import type { Fate, Uploads } from './uploads.js';

const everyMs = 60_000;
/** By then the end of a job has usually been stored. */
const soonMs = 500;

/** Returns a function to call when an attempt on an upload has ended. */
export function keepUploads(
  { jobs, log, onReady, onClose }: Pick<PluginContext<unknown>, 'jobs' | 'log' | 'onReady' | 'onClose'>,
  uploads: Uploads,
): () => void {
  const timers = new Set<NodeJS.Timeout>();
  let sweeping: Promise<void> = Promise.resolve();
  let closed = false;

  const sweep = (starting = false): Promise<void> => {
    sweeping = sweeping.then(async () => {
      if (closed) return;
      try {
        await uploads.sweep(fateOf(jobs), starting);
      } catch (error) {
        const reason = isFault(error) ? error.message : (error as NodeJS.ErrnoException).code;
        log.warn({ reason }, 'uploads not cleared away');
      }
    });
    return sweeping;
  };

  onReady(async () => {
    await sweep(true);
    timers.add(setInterval(() => void sweep(), everyMs).unref());
  });
  onClose(async () => {
    closed = true;
    for (const timer of timers) clearTimeout(timer);
    await sweeping;
  });

  return () => {
    if (closed) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void sweep();
    }, soonMs).unref();
    timers.add(timer);
  };
}

function fateOf(jobs: Pick<Jobs, 'find'>): Fate {
  return async (id) => {
    const job = await jobs.find(id);
    return job && (job.state === 'queued' || job.state === 'running' ? 'live' : 'ended');
  };
}
