/** Long work in slices, so that other requests are answered in between. */
import { setImmediate } from 'node:timers/promises';

/** Milliseconds after which others get a turn. */
const slice = 10;

/** Called between steps: lets others have a turn once a slice is used up. */
export function slices(): () => Promise<void> | undefined {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < slice) return undefined;
    return setImmediate().then(() => {
      begun = performance.now();
    });
  };
}

/** Steps of comparing after which others get a turn: about a millisecond. */
export const stepsInTurn = 100_000;

/**
 * Comparing, counted in steps: two features compared, or a cell of an assignment looked at. What is bounded is the work
 * between two turns of the event loop, however fast the machine is.
 */
export class Work {
  /** All steps so far. */
  steps = 0;
  readonly #signal: AbortSignal | undefined;
  #since = 0;

  /** Ends with the signal's reason at the first turn after it was aborted. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  spend(steps: number): void {
    this.steps += steps;
  }

  /** Called between two patients: lets others have a turn once the steps of one are used up. */
  turn(): Promise<void> | undefined {
    if (this.steps - this.#since < stepsInTurn) return undefined;
    return setImmediate().then(() => {
      this.#signal?.throwIfAborted();
      this.#since = this.steps;
    });
  }
}
