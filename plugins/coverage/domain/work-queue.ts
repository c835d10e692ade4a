/** Lets requests measure a few at a time, the smallest first, so that a gene is not kept waiting by a hundred panels. */

/** What a request measures at most to go ahead without waiting for larger ones: intervals times samples. */
const light = 10;

export interface WorkQueueOptions {
  /** Requests at once, of those that are light and of the others; 8 and 2 by default. */
  light?: number;
  heavy?: number;
  /** Milliseconds after which a request goes before smaller ones; 10 seconds by default. */
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

/** One line for light requests and one for the others: neither takes the places of the other. */
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
   * Does the work when its turn has come. `size` is what it measures: intervals times samples, estimated if not known
   * yet. Rejects with the signal's reason if it aborts before the turn.
   */
  async run<Result>(size: number, work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const line = size <= light ? this.#light : this.#heavy;
    signal.throwIfAborted();
    if (line.busy >= line.places) await this.#turn(line.waiting, size, signal);
    else line.busy += 1;
    try {
      return await work();
    } finally {
      // The place passes on to the next, if there is one.
      const next = this.#next(line.waiting);
      if (next === undefined) line.busy -= 1;
      else next.start();
    }
  }

  #turn(waiting: Waiting[], size: number, signal: AbortSignal): Promise<void> {
    return new Promise((start, reject) => {
      const one: Waiting = {
        ...{ size, since: this.#now() },
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

  /** Takes the smallest out of the line, or the first that has waited long enough. */
  #next(waiting: Waiting[]): Waiting | undefined {
    const [oldest] = waiting;
    if (oldest === undefined) return undefined;
    const late = this.#now() - oldest.since >= this.#patience;
    const next = late ? oldest : waiting.reduce((least, one) => (one.size < least.size ? one : least));
    waiting.splice(waiting.indexOf(next), 1);
    return next;
  }
}
