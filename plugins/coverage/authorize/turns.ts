/** Limits how much work is under way at the same time. */
import { Fault } from '../../../core/plugin.js';

export class Turns {
  readonly #most: number;
  #running = 0;
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs the work when it is its turn. Throws an `unavailable` fault if that is not within the time. */
  async run<Result>(withinMs: number, work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#most) this.#running += 1;
    else await this.#turn(withinMs);
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #turn(withinMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(begin);
        reject(new Fault('unavailable', 'has too many questions to answer'));
      }, withinMs);
      const begin = () => {
        clearTimeout(late);
        this.#waiting.delete(begin);
        resolve();
      };
      this.#waiting.add(begin);
    });
  }
}
