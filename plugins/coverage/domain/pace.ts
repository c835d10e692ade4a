/** Lets other requests run during long synchronous work. */
import { setImmediate } from 'node:timers/promises';

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
