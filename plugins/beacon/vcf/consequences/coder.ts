/**
 * Numbers and texts as few bits: an adaptive arithmetic coder of binary decisions (after Mahoney's lpaq), each with the chance that
 * it had before in its context. For the same columns Brotli takes a fifth more bytes: numbers of a small block hardly repeat.
 *
 * One description serves both directions: a coder that writes takes values and returns them, one that reads ignores what it is given
 * and returns the values that were written.
 */
import { crc32 } from 'node:zlib';
import { utf8 } from '../../../../core/files.js';

/** Chances have 15 bits, and places 31, so that all products are whole numbers of 32 bits, which are fast. */
const certain = 2 ** 15;
const [least, most] = [32, certain - 32] as const;
const farthest = 2 ** 31 - 1;
/** How much a decision changes a chance, by how many there were. */
const slowest = 60;
const shares = Int32Array.from({ length: slowest + 1 }, (_, count) => Math.round(certain / (count + 1.6)));

/** Contexts that a number takes: whether it is 0 or 1, of its length in bits, and of the first three bits behind the highest. */
const [ofLength, ofBits] = [2, 34] as const;
export const numberContexts: number = ofBits + 32 * 8;
/** Contexts that a text takes: of a letter behind each other one. */
export const textContexts: number = 128 * 256;

/** Bytes of the checksum behind what is written. */
const ofCheck = 4;

/** Whether bytes are all of what a coder wrote. */
export function isWhole(bytes: Uint8Array): boolean {
  const end = bytes.length - ofCheck;
  if (end < 0) return false;
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(end) === crc32(bytes.subarray(0, end));
}

/** One class for both directions: calls that are always of the same class are fast. */
export class Coder {
  readonly #isReading: boolean;
  readonly #chances: Uint16Array;
  readonly #counts: Uint8Array;
  /** The places between which what is coded lies. */
  #low = 0;
  #high = farthest;
  #bytes: Uint8Array;
  #at = 0;
  /** Of what is read: the place, and the bit of its last byte that is not in it yet. */
  #place = 0;
  #rest = 0;

  /** Reads what was written, or writes if that is omitted. Throws an Error if it is damaged. */
  constructor(contexts: number, written?: Uint8Array) {
    if (written && !isWhole(written)) throw new Error('The content is damaged');
    this.#chances = new Uint16Array(contexts).fill(certain / 2);
    this.#counts = new Uint8Array(contexts);
    this.#isReading = written !== undefined;
    this.#bytes = written?.subarray(0, written.length - ofCheck) ?? new Uint8Array(2 ** 15);
    if (written) for (let i = 0; i < 4; i++) this.#take();
  }

  /** A place has 31 bits: of the last byte of them one is left for the next. */
  #take(): void {
    const next = this.#bytes[this.#at++] ?? 0;
    this.#place = ((this.#place << 8) | (this.#rest << 7) | (next >>> 1)) & farthest;
    this.#rest = next & 1;
  }

  #put(byte: number): void {
    if (this.#at === this.#bytes.length) {
      const longer = new Uint8Array(2 * this.#at);
      longer.set(this.#bytes);
      this.#bytes = longer;
    }
    this.#bytes[this.#at++] = byte;
  }

  /** All that was written. */
  end(): Uint8Array {
    for (const shift of [23, 15, 7]) this.#put((this.#high >>> shift) & 255);
    this.#put((this.#high << 1) & 255);
    const check = crc32(this.#bytes.subarray(0, this.#at));
    for (const shift of [24, 16, 8, 0]) this.#put((check >>> shift) & 255);
    return this.#bytes.slice(0, this.#at);
  }

  /** Decides at a place between the lowest and the highest. */
  #decide(middle: number, value: number): number {
    const bit = this.#isReading ? (this.#place <= middle ? 1 : 0) : value;
    if (bit === 1) this.#high = middle;
    else this.#low = middle + 1;
    while ((this.#low ^ this.#high) >>> 23 === 0) {
      if (this.#isReading) this.#take();
      else this.#put(this.#high >>> 23);
      this.#low = (this.#low << 8) & farthest;
      this.#high = ((this.#high << 8) | 255) & farthest;
    }
    return bit;
  }

  /** A decision: 0 or 1. */
  bit(context: number, value: number): number {
    const chance = this.#chances[context] ?? 0;
    const range = this.#high - this.#low;
    const bit = this.#decide(this.#low + (range >>> 15) * chance + (((range & 0x7fff) * chance) >>> 15), value);
    const count = this.#counts[context] ?? 0;
    const next = chance + ((((bit === 1 ? certain : 0) - chance) * (shares[count] ?? 0)) >> 15);
    this.#chances[context] = next < least ? least : next > most ? most : next;
    if (count < slowest) this.#counts[context] = count + 1;
    return bit;
  }

  /** A number below 2 to the power of `bits`, which takes so many contexts. */
  tree(context: number, bits: number, value: number): number {
    let node = 1;
    for (let i = bits - 1; i >= 0; i--) node = 2 * node + this.bit(context + node, (value >>> i) & 1);
    return node - (1 << bits);
  }

  /** A number below 2 to the power of 31; small differences of their frequency count for small ones only. */
  number(context: number, value: number): number {
    if (this.bit(context, value > 0 ? 1 : 0) === 0) return 0;
    if (this.bit(context + 1, value > 1 ? 1 : 0) === 0) return 1;
    const length = this.tree(context + ofLength, 5, 32 - Math.clz32(value));
    const modelled = Math.min(3, length - 1);
    const rest = length - 1 - modelled;
    let found =
      2 ** modelled + this.tree(context + ofBits + 8 * length, modelled, (value >>> rest) & (2 ** modelled - 1));
    for (let i = rest - 1; i >= 0; i--) {
      const middle = this.#low + ((this.#high - this.#low) >>> 1);
      found = 2 * found + this.#decide(middle, (value >>> i) & 1);
    }
    return found;
  }

  /** A number that may be negative. */
  difference(context: number, value: number): number {
    const found = this.number(context, value < 0 ? -2 * value - 1 : 2 * value);
    return found % 2 === 0 ? found / 2 : -(found + 1) / 2;
  }

  /** A text without U+0000. */
  text(context: number, value: string): string {
    const bytes = this.#isReading || isAscii(value) ? value : Buffer.from(value).toString('latin1');
    let found = '';
    for (let before = 0, i = 0; ; i++) {
      const code = this.tree(context + 256 * (before & 127), 8, i < bytes.length ? bytes.charCodeAt(i) : 0);
      if (code === 0) return isAscii(found) ? found : utf8(found);
      found += String.fromCharCode(code);
      before = code;
    }
  }
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
