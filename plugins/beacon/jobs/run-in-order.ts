/**
 * Runs the jobs on a dataset one at a time, in the order in which they begin: a deletion does not overtake the load
 * before it.
 */

/** Runs the work once all earlier work on the key has ended. Aborting while it waits throws the signal's reason. */
export type RunInOrder = <Result>(key: string, signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>;

/**
 * Keeps the order among the jobs of this process. Other processes may work on the same dataset: its totals stay right then, too.
 */
export function createRunInOrder(): RunInOrder {
  const last = new Map<string, Promise<void>>();
  return async (key, signal, work) => {
    const before = last.get(key);
    let end: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => {
      end = resolve;
    });
    // The next job waits for both, even if this one stops waiting.
    const both = Promise.all([before, mine]).then(() => undefined);
    last.set(key, both);
    void both.then(() => {
      if (last.get(key) === both) last.delete(key);
    });
    try {
      if (before) await Promise.race([before, abortion(signal)]);
      signal.throwIfAborted();
      return await work();
    } finally {
      end();
    }
  };
}

function abortion(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
