/** Requests that wait: the first that came goes first, unless it has waited long; then the last that came does. */

export interface Waiting {
  /** When it came, in milliseconds. */
  readonly since: number;
  begin(): void;
}

/** Entries that were removed from the middle stay in the list until they reach an end. */
export class Line {
  readonly #longMs: number;
  readonly #members = new Set<Waiting>();
  #order: Waiting[] = [];
  #first = 0;

  /** A request that waits longer than so many milliseconds lets newer ones pass. */
  constructor(longMs: number) {
    this.#longMs = longMs;
  }

  get size(): number {
    return this.#members.size;
  }

  add(one: Waiting): void {
    this.#members.add(one);
    this.#order.push(one);
  }

  remove(one: Waiting): void {
    this.#members.delete(one);
    this.#tidy();
  }

  /**
   * The next request; undefined if none waits. If the line does not get shorter, those at its head have waited in vain for
   * almost all of their time: serving the newest answers most clients soon instead of all of them late.
   */
  next(now: number): Waiting | undefined {
    this.#tidy();
    const first = this.#order[this.#first];
    return first !== undefined && now - first.since > this.#longMs ? this.#order.at(-1) : first;
  }

  #tidy(): void {
    const order = this.#order;
    const isGone = (one: Waiting | undefined) => one !== undefined && !this.#members.has(one);
    while (isGone(order.at(-1))) order.pop();
    while (isGone(order[this.#first])) this.#first += 1;
    if (this.#members.size === 0 || this.#first > 1000) {
      this.#order = order.slice(this.#first);
      this.#first = 0;
    }
  }
}
