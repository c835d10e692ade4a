/** Writes the primary table: packs codes into bytes. */
import type { Output } from './output.js';

/** Codes that are packed at a time; a multiple of 8, so that every chunk ends with a whole byte. */
const chunkCodes = 65_536;

/** Packs the codes of one chromosome at a time, and writes them at their offset. */
export class PrimaryWriter {
  readonly #output: Output;
  readonly #width: number;
  readonly #codes = new Uint16Array(chunkCodes);
  readonly #bytes: Uint8Array;
  #at = 0;
  #used = 0;

  constructor(output: Output, width: number) {
    this.#output = output;
    this.#width = width;
    this.#bytes = new Uint8Array((chunkCodes * width) / 8);
  }

  /** Begins a chromosome whose codes start at this offset of the file. */
  begin(at: number): void {
    this.#at = at;
  }

  add(code: number, bases: number): void {
    if (this.#width === 0) return;
    for (let left = bases; left > 0; ) {
      const take = Math.min(left, chunkCodes - this.#used);
      this.#codes.fill(code, this.#used, this.#used + take);
      this.#used += take;
      left -= take;
      if (this.#used === chunkCodes) this.finish();
    }
  }

  /** Writes the codes of the current chunk; also to be called after the last codes of a chromosome. */
  finish(): void {
    const width = this.#width;
    const out = this.#bytes;
    let held = 0;
    let bits = 0;
    let p = 0;
    let any = 0;
    for (let i = 0; i < this.#used; i++) {
      const code = this.#codes[i] as number;
      any |= code;
      held |= code << bits;
      bits += width;
      while (bits >= 8) {
        out[p++] = held;
        held >>>= 8;
        bits -= 8;
      }
    }
    if (bits > 0) out[p++] = held;
    // Bytes that are never written are zero, and take no space on the disk.
    if (any !== 0) this.#output.patch(this.#at, out.subarray(0, p));
    this.#at += p;
    this.#used = 0;
  }
}
