/** Everything that is wrong with a file that an operator wrote. */
import { Fault } from './fault.js';

const shownMistakes = 20;

/** Collects all mistakes of a file, so that they can be corrected at once. */
export class Mistakes {
  readonly #file: string;
  readonly #found: string[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** `place` is where in the file: `line 3, column sex`. */
  add(place: string, reason: string): void {
    this.#found.push(`${place}: ${reason}`);
  }

  /** Throws an `unprocessable` fault that names the mistakes (the first 20 of many), if there are any. */
  refuse(): void {
    const [first, ...more] = this.#found;
    if (first === undefined) return;
    if (more.length === 0) throw new Fault('unprocessable', `${this.#file}, ${first}`);
    const shown = this.#found.slice(0, shownMistakes);
    if (this.#found.length > shown.length) shown.push('…');
    throw new Fault('unprocessable', `${this.#file}: ${this.#found.length} mistakes\n  ${shown.join('\n  ')}`);
  }
}
