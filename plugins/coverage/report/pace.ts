/** Gives others their turn in long work that awaits nothing. */
import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work between two turns. */
const slice = 8;

export class Pace {
  #since = performance.now();

  /** To be awaited, where it returns something, between pieces of about a millisecond. */
  turn(): Promise<void> | undefined {
    return performance.now() - this.#since < slice ? undefined : this.#pause();
  }

  async #pause(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
  }
}
