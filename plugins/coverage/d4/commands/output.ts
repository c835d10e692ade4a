/** Prints lines and numbers as d4tools does. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Characters that are written at a time. */
const pieceLength = 64 * 1024;

/** Buffers lines, and writes them no faster than the stream accepts them. */
export class Lines {
  readonly #out: Writable;
  #text = '';

  constructor(out: Writable) {
    this.#out = out;
  }

  /** Adds a line; to be awaited if it returns a promise. */
  line(text: string): Promise<void> | undefined {
    this.#text += `${text}\n`;
    return this.#text.length < pieceLength ? undefined : this.flush();
  }

  async flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    if (text !== '' && !this.#out.write(text)) await once(this.#out, 'drain');
  }
}

/** A number as d4tools prints it: the shortest digits that represent it, never with an exponent. */
export function plainNumber(value: number): string {
  const text = String(value);
  const exponent = /^(-?)(\d)(?:\.(\d+))?e([-+]\d+)$/.exec(text);
  if (!exponent) return text;
  const [, sign = '', first = '', rest = '', power] = exponent;
  const digits = first + rest;
  const point = 1 + Number(power);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, '0')}`;
}

/**
 * A fraction as d4tools prints it: in 32-bit arithmetic, with three decimals rounded half to even, or with an exponent if it is
 * below 0.001.
 */
export function fraction(count: number, length: number): string {
  const value = Math.fround(Math.fround(count) / Math.fround(length));
  if (Number.isNaN(value)) return 'NaN';
  if (value === 0) return '0.000e0';
  if (value < 0.001) return value.toExponential(3).replace('e+', 'e');
  // A thousand times a 32-bit number is exact.
  const thousands = value * 1000;
  const below = Math.floor(thousands);
  const rest = thousands - below;
  const rounded = rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
  return decimals[rounded] ?? decimal(rounded);
}

/** Fractions with three decimals by their thousands, as far as they were needed: formatting a million of them takes long. */
const decimals: (string | undefined)[] = [];

function decimal(thousands: number): string {
  const text = (thousands / 1000).toFixed(3);
  if (thousands <= 1000) decimals[thousands] = text;
  return text;
}
