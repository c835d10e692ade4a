/** Remembers a value for each of the keys that were used last. */
export class Recent<Value> {
  readonly #values = new Map<string, Value>();
  readonly #most: number;

  /** `most` keys are remembered. */
  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#most) return;
      this.#values.delete(oldest);
    }
  }
}
