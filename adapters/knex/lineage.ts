/** Whether the data is still that which was opened, or other data came to its place: a restored backup, for example. */
import { type Fault, outage } from '../../core/storage.js';

export abstract class Lineage {
  /** See `Storage.replaced`. */
  readonly replaced: Promise<string>;
  #reason: string | undefined;
  #resolve: (reason: string) => void = () => {};

  constructor() {
    this.replaced = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isReplaced(): boolean {
    return this.#reason !== undefined;
  }

  /** Called before and after all work. Throws an `unavailable` fault once the data was replaced. */
  confirm(): void {
    if (this.#reason === undefined) this.look();
    if (this.#reason !== undefined) throw this.fault();
  }

  /** Compares, and calls `replace` if the data is other data. May finish after it returned. */
  protected abstract look(): void;

  /** Refuses all work from now on. */
  protected replace(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#resolve(reason);
  }

  protected fault(): Fault {
    return outage(`${this.#reason}: it is opened again`);
  }
}
