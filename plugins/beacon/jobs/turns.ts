/** One job at a time on a dataset, in the order in which they begin: a deletion and the addition after it do not cross. */

/** Runs the work once all earlier work on the key has ended; aborting throws the signal's reason instead. */
export type Turns = <Result>(key: string, signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>;

/** Turns among the jobs of this process. Several processes may still work on one dataset; its totals are right then, too. */
export function turns(): Turns {
  const last = new Map<string, Promise<void>>();
  return async (key, signal, work) => {
    const before = last.get(key);
    let end: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => {
      end = resolve;
    });
    // Whoever comes next waits for both, also where this one gives up waiting.
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
