/**
 * The entries of CSQ or ANN of one record, divided into their columns in one pass: of the many that VEP writes few are chosen, and
 * few of their columns are read.
 */
import { utf8 } from '../../../../core/files.js';

export class EntryColumns {
  /** Columns of an entry that may be read, and one more. */
  readonly #width: number;
  #block = '';
  /** Where columns begin, those of each entry behind those of another. */
  #begins = new Int32Array(1024);
  #count = 0;

  /** Columns of an entry that may be read. */
  constructor(columns: number) {
    this.#width = columns + 1;
  }

  get count(): number {
    return this.#count;
  }

  /** Takes the entries within a block, one byte a character; those before are gone. */
  take(block: string, from: number, end: number): void {
    const width = this.#width;
    this.#block = block;
    this.#count = 0;
    for (let at = from; at <= end; this.#count++) {
      const comma = block.indexOf(',', at);
      const last = comma < 0 || comma > end ? end : comma;
      const first = this.#count * width;
      if (first + width > this.#begins.length) this.#grow(first + width);
      const begins = this.#begins;
      begins[first] = at;
      let column = 1;
      for (let bar = block.indexOf('|', at); column < width && bar >= 0 && bar < last; column++) {
        begins[first + column] = bar + 1;
        bar = block.indexOf('|', bar + 1);
      }
      // A column that is missing ends before it begins.
      for (; column < width; column++) begins[first + column] = last + 1;
      at = last + 1;
    }
  }

  #grow(least: number): void {
    const begins = new Int32Array(2 * least);
    begins.set(this.#begins);
    this.#begins = begins;
  }

  /** A column as the file has it, one byte a character; empty if it is missing. */
  written(entry: number, column: number): string {
    const at = entry * this.#width + column;
    const [from, end] = [this.#begins[at] ?? 0, (this.#begins[at + 1] ?? 0) - 1];
    return end <= from ? '' : this.#block.slice(from, end);
  }

  /** The text of a column. */
  text(entry: number, column: number | undefined): string {
    return column === undefined ? '' : textOfColumn(this.written(entry, column));
  }

  isEmpty(entry: number, column: number | undefined): boolean {
    if (column === undefined) return true;
    const at = entry * this.#width + column;
    return (this.#begins[at + 1] ?? 0) - 1 <= (this.#begins[at] ?? 0);
  }

  /** Whether a column of an entry is the same as that of the entry before. */
  isRepeated(entry: number, column: number | undefined): boolean {
    if (entry === 0 || column === undefined) return column === undefined;
    const begins = this.#begins;
    const [at, before] = [entry * this.#width + column, (entry - 1) * this.#width + column];
    const [one, other] = [begins[at] ?? 0, begins[before] ?? 0];
    const length = (begins[at + 1] ?? 0) - one;
    if (length !== (begins[before + 1] ?? 0) - other) return false;
    for (let i = 0; i < length - 1; i++) {
      if (this.#block.charCodeAt(one + i) !== this.#block.charCodeAt(other + i)) return false;
    }
    return true;
  }
}

/** What a column says, of one byte a character. VEP writes the characters that separate in a VCF as `%3B` and `%3D`. */
export function textOfColumn(written: string): string {
  const text = /[\x80-\xff]/.test(written) ? utf8(written) : written;
  return text.includes('%')
    ? text.replace(/%([2-7][0-9A-Fa-f])/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
}

/** Longest text that V8 copies out of another one; a longer part keeps all of the other in memory. */
const longestCopied = 12;

/** The same text, which keeps no block of a file in memory. */
export function ownText(text: string): string {
  return text.length <= longestCopied ? text : ` ${text}`.slice(1);
}

/** Texts that come again in most records are read once; a file with more different ones than this is odd. */
const mostRemembered = 20_000;

export function remembered<Value>(known: Map<string, Value>, text: string, read: (text: string) => Value): Value {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size >= mostRemembered) known.clear();
  const value = read(text);
  known.set(ownText(text), value);
  return value;
}

/** The values of a column that may have several. */
export function valuesOf(text = ''): string[] {
  if (text !== '' && text !== '.' && !text.includes('&')) return [text];
  return text.split('&').filter((word) => word !== '' && word !== '.');
}
