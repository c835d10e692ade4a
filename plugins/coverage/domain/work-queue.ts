/** Runs a few measurements at a time, the smallest first, so that one gene does not wait for a hundred panels. */

/** Size (intervals × samples) up to which a request does not wait for larger ones. */
const light = 10;

export interface WorkQueueOptions {
  /** Light and other requests that run at once; 8 and 2 by default. */
  light?: number;
  heavy?: number;
  /** Milliseconds after which a request runs before smaller ones; 10 seconds by default. */
  patience?: number;
  /** For tests: a clock in milliseconds. */
  now?: () => number;
}

interface Line {
  places: number;
  busy: number;
  waiting: Waiting[];
}

interface Waiting {
  size: number;
  since: number;
  start(): void;
}

/** One queue for light requests and one for the others: neither takes the places of the other. */
export class WorkQueue {
  readonly #light: Line;
  readonly #heavy: Line;
  readonly #patience: number;
  readonly #now: () => number;

  constructor(options: WorkQueueOptions = {}) {
    this.#light = { places: options.light ?? 8, busy: 0, waiting: [] };
    this.#heavy = { places: options.heavy ?? 2, busy: 0, waiting: [] };
    this.#patience = options.patience ?? 10_000;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Runs the work when a place is free. `size` is intervals × samples, estimated if unknown. Rejects with the signal's
   * reason if it aborts while waiting.
   */
  async run<Result>(size: number, work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const line = size <= light ? this.#light : this.#heavy;
    signal.throwIfAborted();
    if (line.busy >= line.places) await this.#turn(line.waiting, size, signal);
    else line.busy += 1;
    try {
      return await work();
    } finally {
      // The next one takes the place.
      const next = this.#next(line.waiting);
      if (next === undefined) line.busy -= 1;
      else next.start();
    }
  }

  #turn(waiting: Waiting[], size: number, signal: AbortSignal): Promise<void> {
    return new Promise((start, reject) => {
      const one: Waiting = {
        size,
        since: this.#now(),
        start() {
          signal.removeEventListener('abort', leave);
          start();
        },
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(one), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.push(one);
    });
  }

  /** Removes the smallest from the queue, or the oldest if it has waited long enough. */
  #next(waiting: Waiting[]): Waiting | undefined {
    const [oldest] = waiting;
    if (oldest === undefined) return undefined;
    const late = this.#now() - oldest.since >= this.#patience;
    const next = late ? oldest : waiting.reduce((least, one) => (one.size < least.size ? one : least));
    waiting.splice(waiting.indexOf(next), 1);
    return next;
  }
}
