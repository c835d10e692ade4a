/** Keeps decoded runs, those that were used last, within a bound of memory. */

/** Of one entry besides its runs: the key and the objects. */
const overhead = 400;

export class RunCache {
  readonly #runs = new Map<string, Uint32Array>();
  readonly #most: number;
  #bytes = 0;

  /** Keeps up to `most` bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Uint32Array | undefined {
    const runs = this.#runs.get(key);
    if (runs !== undefined) {
      this.#runs.delete(key);
      this.#runs.set(key, runs);
    }
    return runs;
  }

  set(key: string, runs: Uint32Array): void {
    this.#drop(key);
    this.#runs.set(key, runs);
    this.#bytes += runs.byteLength + overhead;
    for (const oldest of this.#runs.keys()) {
      if (this.#bytes <= this.#most) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const runs = this.#runs.get(key);
    if (runs === undefined) return;
    this.#runs.delete(key);
    this.#bytes -= runs.byteLength + overhead;
  }
}
