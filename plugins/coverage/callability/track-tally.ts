/** Which samples of callable tracks are covered at the places of a window. */
import { mostMembers } from '../contract.js';
import { type MergedRuns, words } from '../tracks/merged-runs.js';
import type { UsedTrack } from './tracked.js';
import type { Window } from './windows.js';

/** Of the samples of a question. A bit stands for each sample of each track: at each place 64 for each track. */
export class TrackTally {
  readonly #tracks: number;
  /** For each group, the bits of its samples. */
  readonly #groups: readonly Int32Array[];
  /** By number of a sample in the question, its bit; -1 for samples of no track. */
  readonly #bits: Int32Array;
  /** Numbers of the samples in tracks. */
  readonly samples: readonly number[];
  /** Whether tracks have all samples that are known. */
  readonly hasAll: boolean;

  /** `known` samples of the `asked` ones have a known coverage. */
  constructor(used: readonly UsedTrack[], groups: number, asked: number, known: number) {
    this.#tracks = used.length;
    this.#groups = Array.from({ length: groups }, () => new Int32Array(used.length * words));
    this.#bits = new Int32Array(asked).fill(-1);
    const samples: number[] = [];
    for (const [track, { members }] of used.entries()) {
      for (const [place, member] of members.entries()) {
        if (member === undefined) continue;
        const bit = track * mostMembers + place;
        this.#bits[member.sample] = bit;
        const own = this.#groups[member.group] as Int32Array;
        own[bit >>> 5] = (own[bit >>> 5] as number) | (1 << bit);
        samples.push(member.sample);
      }
    }
    this.samples = samples;
    this.hasAll = samples.length === known;
  }

  has(sample: number): boolean {
    return (this.#bits[sample] as number) >= 0;
  }

  /** The bits of the covered samples at each piece of the window, its `whole` ones first; `tracks` are those of the question. */
  find(tracks: readonly MergedRuns[], window: Window): Int32Array {
    const { starts, ends } = piecesOf(window);
    const stride = this.#tracks * words;
    const order = byEnd(ends);
    const places = {
      starts: order ? starts.map((_, i) => starts[order[i] as number] as number) : starts,
      ends: order ? ends.map((_, i) => ends[order[i] as number] as number) : ends,
      count: ends.length,
    };
    const found = new Int32Array(ends.length * stride);
    for (const [track, runs] of tracks.entries()) runs.find(places, found, track * words, stride);
    return order === undefined ? found : inOrder(found, order, stride);
  }

  /** Covered samples of a group at a piece. */
  count(found: Int32Array, piece: number, group: number): number {
    const own = this.#groups[group] as Int32Array;
    const from = piece * own.length;
    let count = 0;
    for (let word = 0; word < own.length; word++) count += ones((found[from + word] as number) & (own[word] as number));
    return count;
  }

  /** Whether a sample of a track is not covered at a piece; false of other samples. */
  lacks(found: Int32Array, piece: number, sample: number): boolean {
    const bit = this.#bits[sample] as number;
    if (bit < 0) return false;
    return ((found[piece * this.#tracks * words + (bit >>> 5)] as number) & (1 << bit)) === 0;
  }
}

function piecesOf({ whole, parts }: Window): { starts: Uint32Array; ends: Uint32Array } {
  if (parts.length === 0) return whole;
  const count = whole.starts.length;
  const [starts, ends] = [new Uint32Array(count + parts.length), new Uint32Array(count + parts.length)];
  starts.set(whole.starts);
  ends.set(whole.ends);
  for (const [i, { start, end }] of parts.entries()) {
    starts[count + i] = start;
    ends[count + i] = end;
  }
  return { starts, ends };
}

/** The numbers of the pieces by their ends; undefined if they are in that order. */
function byEnd(ends: Uint32Array): Uint32Array | undefined {
  let isSorted = true;
  for (let i = 1; i < ends.length && isSorted; i++) isSorted = (ends[i - 1] as number) <= (ends[i] as number);
  if (isSorted) return undefined;
  return ends.map((_, i) => i).sort((one, other) => (ends[one] as number) - (ends[other] as number));
}

/** What was found by ends, in the order of the pieces. */
function inOrder(found: Int32Array, order: Uint32Array, stride: number): Int32Array {
  const sorted = new Int32Array(found.length);
  for (const [i, piece] of order.entries()) sorted.set(found.subarray(i * stride, (i + 1) * stride), piece * stride);
  return sorted;
}

/** Bits that are set. */
function ones(word: number): number {
  let sums = word - ((word >>> 1) & 0x5555_5555);
  sums = (sums & 0x3333_3333) + ((sums >>> 2) & 0x3333_3333);
  return Math.imul((sums + (sums >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
