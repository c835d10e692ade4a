/** The bytes of a file that its directories and frames name. */
import { D4Error } from '../error.js';
import type { Source } from '../source/source.js';

/** The bytes of one frame or blob. */
export interface Extent {
  at: number;
  size: number;
}

/** Bytes before the root directory. */
const fileHeader = 8;

/**
 * Every byte of a sound file belongs to exactly one frame or blob: all writers append them, without space in between. A damaged
 * offset or size therefore makes two of them overlap, or leaves bytes that belong to none. The format has no checksum, so this is
 * what distinguishes the depths of a table from other bytes of the file.
 */
export class Extents {
  readonly #source: Source;
  readonly #names: string[] = ['the file header'];
  #begins: number[] = [0];
  #ends: number[] = [fileHeader];
  #claimable: number;
  #walkable: number;

  constructor(source: Source) {
    this.#source = source;
    this.#claimable = source.size;
    this.#walkable = source.size;
  }

  /** Records bytes that are named while the file is opened. Throws D4Error `broken` if all of them are more than the file. */
  claim({ at, size }: Extent, what: string): void {
    this.#claimable -= size;
    if (this.#claimable < 0) throw this.#tooLarge(at, what);
    if (size === 0) return;
    this.#begins.push(at);
    this.#ends.push(at + size);
    this.#names.push(what);
  }

  /**
   * Checks that the recorded bytes do not overlap and, if all frames of the file are among them, that they leave none out. Throws
   * D4Error `broken`.
   */
  check(isComplete: boolean): void {
    // Without overlaps, the n-th begin and the n-th end belong together, so that both can be sorted alone, as numbers.
    const begins = Float64Array.from(this.#begins).sort();
    const ends = Float64Array.from(this.#ends).sort();
    for (let i = 1; i < begins.length; i++) if ((begins[i] as number) < (ends[i - 1] as number)) throw this.#overlap();
    if (isComplete) {
      for (let i = 0; i < ends.length; i++) {
        const end = ends[i] as number;
        const next = begins[i + 1] ?? this.#source.size;
        if (next > end)
          throw this.#broken(`Bytes ${end} to ${next} belong to no member of the file's directories`, end);
      }
    }
    this.#names.length = 0;
    this.#begins = this.#source.remote ? Array.from(begins) : [];
    this.#ends = this.#source.remote ? Array.from(ends) : [];
  }

  /**
   * Checks a frame to which another one links, after the file was opened. Throws D4Error `broken` if all of them are more than the
   * file, and, for a remote file (whose frames are not all followed when it is opened), if it overlaps what is known.
   */
  walk({ at, size }: Extent, what: string): void {
    this.#walkable -= size;
    if (this.#walkable < 0) throw this.#tooLarge(at, what);
    if (!this.#source.remote) return;
    const [begins, ends] = [this.#begins, this.#ends];
    let i = 0;
    for (let high = begins.length; i < high; ) {
      const middle = (i + high) >> 1;
      if ((begins[middle] as number) < at) i = middle + 1;
      else high = middle;
    }
    if (begins[i] === at && ends[i] === at + size) return;
    if ((ends[i - 1] ?? 0) > at || (begins[i] ?? Number.POSITIVE_INFINITY) < at + size) {
      throw this.#broken(`${what} overlaps another member of the file`, at);
    }
    begins.splice(i, 0, at);
    ends.splice(i, 0, at + size);
  }

  #overlap(): D4Error {
    const order = this.#begins
      .map((_, i) => i)
      .sort((a, b) => (this.#begins[a] as number) - (this.#begins[b] as number));
    let last = order[0] as number;
    for (const i of order.slice(1)) {
      const begin = this.#begins[i] as number;
      if (begin < (this.#ends[last] as number)) {
        return this.#broken(`${this.#names[last]} and ${this.#names[i]} overlap`, begin);
      }
      last = i;
    }
    return this.#broken('Members overlap', 0);
  }

  #tooLarge(at: number, what: string): D4Error {
    const message = 'Frames overlap or form a cycle: together they are larger than the file';
    return new D4Error('broken', message, `${this.#source.name}: ${what}, frame at byte ${at}`);
  }

  #broken(message: string, at: number): D4Error {
    return new D4Error('broken', message, `${this.#source.name}: byte ${at}`);
  }
}
