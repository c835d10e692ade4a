import { Fault } from '../../../core/storage.js';

/** Lets a few run at a time; so many others wait, in order, and more are refused. */
export class QueryLimit {
  #free: number;
  readonly #room: number;
  readonly #waiting = new Set<() => void>();

  constructor(atOnce: number, room: number) {
    this.#free = atOnce;
    this.#room = room;
  }

  /** Throws a `too-many-requests` fault if no other may wait, and the signal's reason if it is aborted meanwhile. */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else {
      if (this.#waiting.size >= this.#room) {
        throw new Fault('too-many-requests', 'Too many wide queries are waiting. Please try again later', {
          headers: { 'Retry-After': '5' },
        });
      }
      await this.#turn(signal);
    }
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#free++;
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiting.delete(begin);
        signal?.removeEventListener('abort', giveUp);
      };
      const begin = () => {
        end();
        resolve();
      };
      const giveUp = () => {
        end();
        reject(signal?.reason);
      };
      this.#waiting.add(begin);
      signal?.addEventListener('abort', giveUp);
    });
  }
}
