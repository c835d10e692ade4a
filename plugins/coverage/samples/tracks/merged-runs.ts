/**
 * Which bases of a window each of up to 64 samples covers, as one list of *changes*: where a sample begins or ends to be covered.
 * A change is the number (base − start of the window) × 64 + number of the sample. Changes ascend, and are stored as differences
 * of two bytes each, the lower first; 65,535 stands for a difference in the four bytes after it. Before its first change a sample
 * is not covered; the end of the window is no change.
 */
import { Fault } from '../../../../core/plugin.js';
import { mostMembers } from './contract.js';

const memberBits = Math.log2(mostMembers);
const memberMask = mostMembers - 1;
/** Words of 32 samples. */
export const words = mostMembers / 32;
const farther = 0xffff;
/** After the last change: windows have 2^21 bases, so that changes are below 2^27. */
const none = 2 ** 31 - 1;

/** `runs` has the covered bases of each sample in the window: alternating starts and ends, ascending, as long as possible. */
export function mergedRuns(runs: readonly Uint32Array[], window: { start: number; end: number }): Uint8Array {
  if (runs.length > mostMembers) throw new Fault('internal', `A track has at most ${mostMembers} samples`);
  const changes = new Uint32Array(runs.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (let member = 0; member < runs.length; member++) {
    for (const base of runs[member] as Uint32Array) {
      if (base < window.end) changes[count++] = (base - window.start) * mostMembers + member;
    }
  }
  const sorted = changes.subarray(0, count).sort();
  const content = new Uint8Array(6 * count);
  let used = 0;
  let last = 0;
  const write = (code: number) => {
    content[used++] = code & 0xff;
    content[used++] = code >>> 8;
  };
  for (let i = 0; i < count; i++) {
    const change = sorted[i] as number;
    const difference = change - last;
    if (difference < farther) write(difference);
    else for (const code of [farther, difference & 0xffff, difference >>> 16]) write(code);
    last = change;
  }
  return content.slice(0, used);
}

/** Places of a window, by their last base. */
export interface PlacesByEnd {
  starts: Uint32Array;
  /** Ascending. */
  ends: Uint32Array;
  count: number;
}

/** Reads merged runs. What is asked about in the order of the genome is found in one pass, also in several questions. */
export class MergedRuns {
  readonly #content: Uint8Array;
  /** Where the window starts. */
  readonly #origin: number;
  /** The samples that are covered at the last change, a bit for each. */
  readonly #state = new Int32Array(words);
  /** Where each sample last changed, from the start of the window. */
  readonly #since = new Uint32Array(mostMembers);
  #at = 0;
  #last = 0;
  #next = 0;
  /** The end of the last place. */
  #end = 0;

  constructor(content: Uint8Array, origin: number) {
    this.#content = content;
    this.#origin = origin;
    this.#rewind();
  }

  get bytes(): number {
    return this.#content.length;
  }

  #rewind(): void {
    this.#state.fill(0);
    this.#since.fill(0);
    this.#at = 0;
    this.#last = 0;
    this.#end = 0;
    this.#next = none;
    if (this.#content.length === 0) return;
    const code = twoBytes(this.#content, 0);
    this.#next = code < farther ? code : fourBytes(this.#content, 2);
    this.#at = code < farther ? 2 : 6;
  }

  /**
   * Finds the samples that cover all bases of each place: bit k of the words at `first + place × stride` of `found` is that of
   * sample k.
   */
  find({ starts, ends, count }: PlacesByEnd, found: Int32Array, first: number, stride: number): void {
    if (count === 0) return;
    if ((ends[0] as number) < this.#end) this.#rewind();
    this.#end = ends[count - 1] as number;
    const since = this.#since;
    const state = this.#state;
    const content = this.#content;
    const origin = this.#origin;
    const { length } = content;
    let at = this.#at;
    let last = this.#last;
    let next = this.#next;
    for (let place = 0, to = first; place < count; place++, to += stride) {
      const end = ((ends[place] as number) - origin) * mostMembers;
      while (next < end) {
        const member = next & memberMask;
        last = next >>> memberBits;
        since[member] = last;
        const word = member >>> 5;
        state[word] = (state[word] as number) ^ (1 << member);
        if (at >= length) {
          next = none;
          break;
        }
        const code = twoBytes(content, at);
        at += 2;
        if (code < farther) next += code;
        else {
          next += fourBytes(content, at);
          at += 4;
        }
      }
      const start = (starts[place] as number) - origin;
      for (let word = 0; word < words; word++) found[to + word] = state[word] as number;
      // A sample that began after the start of the place lacks a base of it.
      if (last > start) this.#keepSince(start, found, to);
    }
    this.#at = at;
    this.#last = last;
    this.#next = next;
  }

  /** Keeps those of the found samples that did not change after a base. */
  #keepSince(start: number, found: Int32Array, at: number): void {
    for (let member = 0; member < mostMembers; member++) {
      if ((this.#since[member] as number) <= start) continue;
      const word = at + (member >>> 5);
      found[word] = (found[word] as number) & ~(1 << member);
    }
  }
}

function twoBytes(content: Uint8Array, at: number): number {
  return (content[at] as number) | ((content[at + 1] as number) << 8);
}

function fourBytes(content: Uint8Array, at: number): number {
  return twoBytes(content, at) | (twoBytes(content, at + 2) << 16);
}

export function damagedTrack(): Fault {
  return new Fault('internal', 'A callable track is damaged: run `trefoil coverage rebuild tracks --all`');
}
