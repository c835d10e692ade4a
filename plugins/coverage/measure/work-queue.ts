/** Shares the process between requests: a few measurements at a time, the smallest first, and pauses in long synchronous work. */
import { setImmediate } from 'node:timers/promises';

/** Size (intervals × samples) up to which a request does not wait for larger ones. */
const light = 10;

interface WorkQueueOptions {
  /** Light and other requests that run at once; 8 and 2 by default. */
  light?: number;
  heavy?: number;
  /** Milliseconds after which a request runs before smaller ones; 10 seconds by default. */
  patience?: number;
  /** For tests: a clock in milliseconds. */
  now?: () => number;
}

interface QueueLine {
  places: number;
  busy: number;
  waiting: QueuedTask[];
}

interface QueuedTask {
  size: number;
  since: number;
  start(): void;
}

/** One queue for light requests and one for the others: neither takes the places of the other. */
export class WorkQueue {
  readonly #light: QueueLine;
  readonly #heavy: QueueLine;
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

  #turn(waiting: QueuedTask[], size: number, signal: AbortSignal): Promise<void> {
    return new Promise((start, reject) => {
      const one: QueuedTask = {
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
  #next(waiting: QueuedTask[]): QueuedTask | undefined {
    const [oldest] = waiting;
    if (oldest === undefined) return undefined;
    const late = this.#now() - oldest.since >= this.#patience;
    const next = late ? oldest : waiting.reduce((least, one) => (one.size < least.size ? one : least));
    waiting.splice(waiting.indexOf(next), 1);
    return next;
  }
}

// Lets other requests run during long synchronous work.

/** Milliseconds of work between two pauses. */
const slice = 8;

export class Pace {
  #since = performance.now();

  /** Pauses if it is time to; call and await it between pieces of work of about a millisecond. */
  turn(): Promise<void> | undefined {
    return performance.now() - this.#since < slice ? undefined : this.#pause();
  }

  async #pause(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
  }
}
