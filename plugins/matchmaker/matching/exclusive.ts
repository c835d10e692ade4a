/** One at a time: what changes a thing, and what reads it in several turns of the event loop. */
export class Exclusive {
  readonly #changes: (() => void)[] = [];
  readonly #reads: (() => void)[] = [];
  #busy = false;

  /** Runs as soon as nothing else does; before reads that wait, so that these see it. */
  change<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#run(this.#changes, work);
  }

  /** Runs after all that came before it. */
  read<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#run(this.#reads, work);
  }

  async #run<Result>(queue: (() => void)[], work: () => Promise<Result>): Promise<Result> {
    if (this.#busy) await new Promise<void>((resolve) => queue.push(resolve));
    this.#busy = true;
    try {
      return await work();
    } finally {
      // The next one takes over at once: nothing that comes in between finds the place free.
      const next = this.#changes.shift() ?? this.#reads.shift();
      if (next) next();
      else this.#busy = false;
    }
  }
}
