/** Divides long work into slices, so that it does not block its thread. */

/** Milliseconds that work on a thread may take before others get their turn. */
const slice = 5;

/** Work that waits to go on. */
const waiting: (() => void)[] = [];

/** Lets one work go on, so that many at once do not hold the event loop for a slice each. */
function resumeNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
}

/** Ends after a turn of the event loop, and after all that has been waiting longer. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeNext);
  });
}

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
    await turn();
    this.#since = performance.now();
    this.#signal?.throwIfAborted();
  }
}
