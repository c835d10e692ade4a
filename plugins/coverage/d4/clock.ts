import { setImmediate } from 'node:timers/promises';

/** Milliseconds that work on a thread may take before others get their turn. */
const slice = 5;

/** Keeps long work from blocking its thread, and ends it when it is no longer wanted. */
export class Clock {
  readonly #cancelled: () => boolean;
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal?: AbortSignal, cancelled: () => boolean = () => false) {
    this.#signal = signal;
    this.#cancelled = cancelled;
  }

  /** To be awaited (when it returns something) between pieces of work of about a millisecond. Throws when cancelled. */
  tick(): Promise<void> | undefined {
    this.#signal?.throwIfAborted();
    if (this.#cancelled()) throw new DOMException('The work was cancelled', 'AbortError');
    return performance.now() - this.#since < slice ? undefined : this.#pause();
  }

  async #pause(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
    this.#signal?.throwIfAborted();
  }
}
