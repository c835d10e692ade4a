/** Keeps a value that takes long to read, for a time. */
export class Kept<Value> {
  readonly #read: () => Promise<Value>;
  /** Milliseconds. */
  readonly #time: number;
  #value: Promise<Value> | undefined;
  #since = Number.NEGATIVE_INFINITY;

  constructor(read: () => Promise<Value>, time: number) {
    this.#read = read;
    this.#time = time;
  }

  /** As it was at most that time ago. */
  current(): Promise<Value> {
    if (this.#value && performance.now() - this.#since < this.#time) return this.#value;
    return this.renewed();
  }

  /** As it is now. A value that could not be read is not kept. */
  renewed(): Promise<Value> {
    const value = this.#read();
    this.#value = value;
    this.#since = performance.now();
    value.catch(() => {
      if (this.#value === value) this.#value = undefined;
    });
    return value;
  }
}
