/** Numbers for texts, from 1. */
export class Interned {
  readonly #numbers = new Map<string, number>();
  #characters = 0;

  /** The number of a text, a new one if it has none yet. */
  intern(text: string): number {
    const found = this.#numbers.get(text);
    if (found !== undefined) return found;
    this.#numbers.set(text, this.#numbers.size + 1);
    this.#characters += text.length;
    return this.#numbers.size;
  }

  find(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  /** An estimate: an entry of a map, and its text. */
  get bytes(): number {
    return this.#numbers.size * 64 + this.#characters;
  }
}
