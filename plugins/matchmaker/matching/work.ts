/** Long work in slices, so that other requests are served in between. */
import { setImmediate } from 'node:timers/promises';

/** Steps after which others get a turn: about a millisecond. */
export const stepsInSlice = 100_000;

/** Entries of a list that are worked through without asking whether the slice is used up. */
const portion = 1024;

/** Comparing the phenotype terms of two patients takes about as long as so many steps. */
export const stepsOfComparing = 500;

/**
 * Work counted in steps of about ten nanoseconds: a pair of features compared, a cell of an assignment or an entry of a
 * list looked at. What is bounded is the work between two turns of the event loop, however fast the machine is.
 */
export class Work {
  /** All steps so far. */
  steps = 0;
  readonly #signal: AbortSignal | undefined;
  readonly #slice: number;
  #since = 0;

  /** Once the signal is aborted, the next turn throws its reason. */
  constructor(signal?: AbortSignal, slice = stepsInSlice) {
    this.#signal = signal;
    this.#slice = slice;
  }

  spend(steps: number): void {
    this.steps += steps;
  }

  /** Called between two pieces of work: lets others have a turn if the slice is used up, else returns undefined. */
  turn(): Promise<void> | undefined {
    if (this.steps - this.#since < this.#slice) return undefined;
    return setImmediate().then(() => {
      this.throwIfAborted();
      this.#since = this.steps;
    });
  }

  /**
   * Works through 0 … length − 1 in portions, each entry of which takes so many steps, with turns in between. Returns
   * undefined if it is done, and no turn is due: most lists are short, and a promise costs more than they do.
   */
  each(length: number, steps: number, take: (from: number, to: number) => void): Promise<void> | undefined {
    const size = Math.min(portion, Math.max(1, Math.floor(this.#slice / steps)));
    if (length > size) return this.#inPortions(length, steps, size, take);
    take(0, length);
    this.steps += length * steps;
    return this.turn();
  }

  async #inPortions(
    length: number,
    steps: number,
    size: number,
    take: (from: number, to: number) => void,
  ): Promise<void> {
    for (let from = 0; from < length; from += size) {
      const to = Math.min(from + size, length);
      take(from, to);
      this.steps += (to - from) * steps;
      const turn = this.turn();
      if (turn) await turn;
    }
  }

  throwIfAborted(): void {
    this.#signal?.throwIfAborted();
  }
}
