/** How long the parts of a response took, for the header `Server-Timing` (W3C Server Timing). */

export class Timing {
  readonly #parts = new Map<string, number>();

  /** Runs the work and adds its time to the part's. */
  async of<Result>(part: string, work: () => Promise<Result> | Result): Promise<Result> {
    const begin = performance.now();
    try {
      return await work();
    } finally {
      this.#parts.set(part, (this.#parts.get(part) ?? 0) + performance.now() - begin);
    }
  }

  /** `intervals;dur=3.1, depth;dur=120.5` in milliseconds. */
  header(): string {
    return [...this.#parts].map(([part, time]) => `${part};dur=${time.toFixed(1)}`).join(', ');
  }
}
