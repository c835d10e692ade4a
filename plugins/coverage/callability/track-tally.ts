/** Which samples of callable tracks are covered at the places of a window. */
import { mostMembers } from '../contract.js';
import { type MergedRuns, type PlacesByEnd, words } from '../tracks/merged-runs.js';
import type { UsedTrack } from './tracked.js';
import type { Window } from './windows.js';

/** Of one question. A bit stands for each sample of each track: at each place 64 for each track. */
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
  find(tracks: readonly MergedRuns[], { whole, parts }: Window): Int32Array {
    const pieces = parts.length === 0 ? whole : [...whole, ...parts];
    const stride = this.#tracks * words;
    const order = byEnd(pieces);
    const places = placesOf(pieces, order);
    const found = new Int32Array(pieces.length * stride);
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

interface Bases {
  start: number;
  end: number;
}

/** The numbers of the pieces by their ends; undefined if they are in that order. */
function byEnd(pieces: readonly Bases[]): number[] | undefined {
  let isSorted = true;
  for (let i = 1; i < pieces.length && isSorted; i++) {
    isSorted = (pieces[i - 1] as Bases).end <= (pieces[i] as Bases).end;
  }
  if (isSorted) return undefined;
  return pieces.map((_, i) => i).sort((one, other) => (pieces[one] as Bases).end - (pieces[other] as Bases).end);
}

function placesOf(pieces: readonly Bases[], order: readonly number[] | undefined): PlacesByEnd {
  const count = pieces.length;
  const [starts, ends] = [new Uint32Array(count), new Uint32Array(count)];
  for (let i = 0; i < count; i++) {
    const { start, end } = pieces[order?.[i] ?? i] as Bases;
    starts[i] = start;
    ends[i] = end;
  }
  return { starts, ends, count };
}

/** What was found by ends, in the order of the pieces. */
function inOrder(found: Int32Array, order: readonly number[], stride: number): Int32Array {
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
