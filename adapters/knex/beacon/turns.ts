import { Fault } from '../../../core/storage.js';

/** Lets a few run at a time; so many others wait, in order, and more are refused. */
export class Turns {
  #free: number;
  readonly #room: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number, room: number) {
    this.#free = atOnce;
    this.#room = room;
  }

  /** Throws a `too-many-requests` fault where nobody else may wait. */
  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else {
      if (this.#waiting.length >= this.#room) {
        throw new Fault('too-many-requests', 'Too many wide queries are waiting. Please try again later', {
          headers: { 'Retry-After': '5' },
        });
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
