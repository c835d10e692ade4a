/** Prints lines and numbers as d4tools does. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Bytes that are written at a time. */
const pieceBytes = 64 * 1024;
/** Whole numbers below this are written digit by digit. */
const mostPlain = 2 ** 31;
const mostDigits = 10;
const tab = 0x09;
const newline = 0x0a;
/** The digits of 00, 01 … 99. */
const pairs = Uint8Array.from({ length: 200 }, (_, i) => `${Math.floor(i / 20)}${(i >> 1) % 10}`.charCodeAt(i % 2));

/** The least numbers of one digit, of two, of three … */
const leasts = Int32Array.from({ length: mostDigits }, (_, i) => (i === 0 ? 0 : 10 ** i));

/** Digits of a whole number below `mostPlain`, without branches: the first of a kind would have V8 compile all callers anew. */
function digitsOf(value: number): number {
  // 1233 / 4096 is the logarithm of 2, so that this is the number of digits or one less.
  const fewest = ((32 - Math.clz32(value)) * 1233) >> 12;
  return fewest + 1 - ((value - (leasts[fewest] as number)) >>> 31);
}

/**
 * Buffers lines, and writes them no faster than the stream accepts them. They are bytes from the start: strings of hundreds of
 * thousands of lines would be more work for the garbage collector than all else that a command does.
 */
export class Lines {
  readonly #out: Writable;
  #bytes = Buffer.allocUnsafeSlow(2 * pieceBytes);
  #length = 0;

  constructor(out: Writable) {
    this.#out = out;
  }

  /** Adds text to the current line. */
  add(text: string): void {
    // In UTF-8 a character of a string takes at most three bytes.
    this.#reserve(3 * text.length);
    const bytes = this.#bytes;
    let end = this.#length;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 128) {
        end += bytes.write(text.slice(i), end);
        break;
      }
      bytes[end++] = code;
    }
    this.#length = end;
  }

  /** Adds a whole number, which is not negative, to the current line. */
  addWhole(value: number): void {
    if (value >= mostPlain) {
      this.add(String(value));
      return;
    }
    this.#reserve(mostDigits);
    const bytes = this.#bytes;
    let at = this.#length + digitsOf(value);
    this.#length = at;
    let rest = value | 0;
    // Two digits at a time: half of the divisions.
    while (rest >= 100) {
      const hundredth = (rest / 100) | 0;
      const pair = 2 * (rest - 100 * hundredth);
      bytes[--at] = pairs[pair + 1] as number;
      bytes[--at] = pairs[pair] as number;
      rest = hundredth;
    }
    bytes[--at] = pairs[2 * rest + 1] as number;
    if (rest >= 10) bytes[--at] = pairs[2 * rest] as number;
  }

  /** Begins a line about a region: its chromosome, begin and end. */
  addRegion(chromosome: string, begin: number, end: number): void {
    this.add(chromosome);
    this.#addByte(tab);
    this.addWhole(begin);
    this.#addByte(tab);
    this.addWhole(end);
  }

  /** Adds a further column to the current line. */
  addCell(text: string): void {
    this.#addByte(tab);
    this.add(text);
  }

  /** Adds a further column with a depth. */
  addDepth(depth: number): void {
    if (!Number.isInteger(depth) || depth < 0) {
      this.addCell(plainNumber(depth));
      return;
    }
    this.#addByte(tab);
    this.addWhole(depth);
  }

  /**
   * Adds a further column with a part of a whole, `count` of `length` bases, as d4tools prints it: in 32-bit arithmetic, with three
   * decimals rounded half to even, or with an exponent if it is below 0.001.
   */
  addFraction(count: number, length: number): void {
    const value = Math.fround(Math.fround(count) / Math.fround(length));
    if (!(value >= 0.001)) {
      this.addCell(value === 0 ? '0.000e0' : value.toExponential(3).replace('e+', 'e'));
      return;
    }
    // A thousand times a 32-bit number is exact.
    const thousands = value * 1000;
    const below = Math.floor(thousands);
    const rest = thousands - below;
    const rounded = rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
    this.#reserve(6);
    const bytes = this.#bytes;
    const isOne = rounded === 1000;
    const decimals = isOne ? 0 : rounded;
    const hundreds = (decimals / 100) | 0;
    const pair = 2 * (decimals - 100 * hundreds);
    let at = this.#length;
    bytes[at++] = tab;
    bytes[at++] = isOne ? 0x31 : 0x30;
    bytes[at++] = 0x2e;
    bytes[at++] = pairs[2 * hundreds + 1] as number;
    bytes[at++] = pairs[pair] as number;
    bytes[at++] = pairs[pair + 1] as number;
    this.#length = at;
  }

  /** Ends the current line; to be awaited if it returns a promise. */
  end(): Promise<void> | undefined {
    this.#addByte(newline);
    return this.#length < pieceBytes ? undefined : this.flush();
  }

  /** Adds a line; to be awaited if it returns a promise. */
  line(text: string): Promise<void> | undefined {
    this.add(text);
    return this.end();
  }

  async flush(): Promise<void> {
    if (this.#length === 0) return;
    const piece = this.#bytes.subarray(0, this.#length);
    // The stream may hold the piece for longer.
    this.#bytes = Buffer.allocUnsafeSlow(2 * pieceBytes);
    this.#length = 0;
    if (!this.#out.write(piece)) await once(this.#out, 'drain');
  }

  #addByte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  /** Makes room for so many bytes. What is hardly ever needed is apart, so that V8 compiles little into each caller. */
  #reserve(bytes: number): void {
    if (this.#length + bytes > this.#bytes.length) this.#grow(bytes);
  }

  #grow(bytes: number): void {
    const larger = Buffer.allocUnsafeSlow(2 * (this.#length + bytes));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** A number as d4tools prints it: the shortest digits that represent it, never with an exponent. */
export function plainNumber(value: number): string {
  const text = String(value);
  // Between these, JavaScript writes no exponent.
  if (value >= 1e-6 && value < 1e21) return text;
  const exponent = /^(-?)(\d)(?:\.(\d+))?e([-+]\d+)$/.exec(text);
  if (!exponent) return text;
  const [, sign = '', first = '', rest = '', power] = exponent;
  const digits = first + rest;
  const point = 1 + Number(power);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, '0')}`;
}
