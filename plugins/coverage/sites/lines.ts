/** Many lines of text outside of the heap, where they take less than half of the memory, and no time of its collection. */

const pageSize = 1_000_000;

/** Lines by number, from 0 on. They have no line breaks. */
export class Lines {
  readonly #pages: Buffer[] = [];
  /** Of each line: the first byte, counted over pages. */
  readonly #starts: number[] = [];
  #used = pageSize;

  get size(): number {
    return this.#starts.length;
  }

  /** Of all pages. */
  get bytes(): number {
    return this.#pages.length * pageSize;
  }

  /** Returns the number of the line. */
  add(line: string): number {
    const bytes = Buffer.from(`${line}\n`);
    if (this.#used + bytes.length > pageSize) {
      this.#pages.push(Buffer.allocUnsafeSlow(Math.max(pageSize, bytes.length)));
      this.#used = 0;
    }
    this.#pages.at(-1)?.set(bytes, this.#used);
    const number = this.#starts.push((this.#pages.length - 1) * pageSize + this.#used) - 1;
    this.#used += bytes.length;
    return number;
  }

  line(number: number): string {
    const start = this.#starts[number] as number;
    const [page, from] = [this.#pages[Math.floor(start / pageSize)] as Buffer, start % pageSize];
    return page.toString('utf8', from, page.indexOf('\n', from));
  }
}

/** A set of lines. */
export class LineSet {
  readonly #lines = new Lines();
  /** Numbers of lines, and one more, by hash; 0 where there is none. At most half of them are used. */
  #slots = new Int32Array(1024);

  get size(): number {
    return this.#lines.size;
  }

  /** Returns false if it is there already. */
  add(line: string): boolean {
    if (2 * this.size >= this.#slots.length) {
      this.#slots = new Int32Array(2 * this.#slots.length);
      for (let number = 0; number < this.size; number++) {
        this.#slots[this.#slotOf(this.#lines.line(number))] = number + 1;
      }
    }
    const slot = this.#slotOf(line);
    if (this.#slots[slot] !== 0) return false;
    this.#slots[slot] = this.#lines.add(line) + 1;
    return true;
  }

  /** Of the line, or the one where it would be. */
  #slotOf(line: string): number {
    const mask = this.#slots.length - 1;
    // FNV-1a.
    let hash = 0x811c9dc5;
    for (let i = 0; i < line.length; i++) hash = Math.imul(hash ^ line.charCodeAt(i), 0x01000193);
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let known = this.#slots[slot] ?? 0; known !== 0; known = this.#slots[slot] ?? 0) {
      if (this.#lines.line(known - 1) === line) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}
