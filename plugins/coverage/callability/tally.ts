/** Counts, place by place, the samples that cover it. */

import type { MergedRuns } from '../tracks/merged-runs.js';
import type { Member } from './member.js';
import type { Asked } from './question.js';
import type { CoveredCounts } from './service.js';
import { addCovered, countsOf, firstRun, isCovered, SortedPlaces } from './sweep.js';
import type { TrackTally } from './track-tally.js';
import type { Divided, Window } from './windows.js';

/** Numbers throughout, in columns: a batch may name a million samples. */
export class Tally {
  readonly #asked: Asked;
  readonly #members: readonly Member[];
  readonly #tracked: TrackTally;
  /** Members of each group. */
  readonly #sizes: readonly number[];
  /** For each place, the covered members of each group. */
  readonly #covered: Uint32Array;
  /** For places of several pieces, the samples that lack one: a bit for each. */
  readonly #lacking = new Map<number, Uint8Array>();
  /** For each named sample: 1 if it is not covered at its place. */
  readonly #below: Uint8Array;

  /** `members` are all, also those of tracks. */
  constructor(asked: Asked, members: readonly Member[], tracked: TrackTally) {
    const { places, groups } = asked.question;
    this.#asked = asked;
    this.#tracked = tracked;
    this.#members = members;
    const sizes = groups.map(() => 0);
    for (const { group } of members) sizes[group] = (sizes[group] as number) + 1;
    this.#sizes = sizes;
    this.#covered = new Uint32Array(places.length * sizes.length);
    this.#below = new Uint8Array(asked.named.length);
  }

  /**
   * Counts in one window: `addTracks` takes what each track says of it, `add` the runs of each member that is in no track,
   * and `end` completes the counts.
   */
  in(window: Window): {
    addTracks(tracks: readonly MergedRuns[]): void;
    add(member: Member, runs: Uint32Array): void;
    end(): void;
  } {
    const { whole, parts } = window;
    // Without samples that are read one by one there is nothing to sweep.
    const { hasAll } = this.#tracked;
    const sorted = new SortedPlaces(hasAll ? [] : whole);
    const changes = hasAll ? [] : this.#sizes.map(() => new Int32Array(whole.length + 1));
    const named = new NamedPlaces(this.#asked, window, sorted, this.#tracked);
    return {
      addTracks: (tracks) => {
        const { question, named, namedFrom } = this.#asked;
        const found = this.#tracked.find(tracks, window);
        for (let i = 0; i < whole.length; i++) {
          const { place } = whole[i] as Window['whole'][number];
          for (let group = 0; group < question.groups.length; group++) {
            this.#covered[place * question.groups.length + group] = this.#tracked.count(found, i, group);
          }
          for (let n = namedFrom[place] as number; n < (namedFrom[place + 1] as number); n++) {
            if (this.#tracked.lacks(found, i, named[n] as number)) this.#below[n] = 1;
          }
        }
        for (const [i, { place }] of parts.entries()) {
          for (const sample of this.#tracked.samples) {
            if (this.#tracked.lacks(found, whole.length + i, sample)) this.#lack(place, sample);
          }
        }
      },
      add: (member, runs) => {
        addCovered(sorted, runs, changes[member.group] as Int32Array);
        named.note(member.sample, runs, this.#below);
        for (const { place, start, end } of parts) {
          if (!isCovered(runs, start, end)) this.#lack(place, member.sample);
        }
      },
      end: () => {
        for (const [group, list] of changes.entries()) {
          const counts = countsOf(list);
          for (let i = 0; i < whole.length; i++) {
            const at = (whole[i] as Window['whole'][number]).place * changes.length + group;
            this.#covered[at] = (this.#covered[at] as number) + (counts[i] as number);
          }
        }
      },
    };
  }

  /** After all windows. */
  counts({ windows, beyond }: Divided): CoveredCounts[] {
    const { question, ids, named, namedFrom } = this.#asked;
    for (const place of new Set(windows.flatMap(({ parts }) => parts.map(({ place }) => place)))) this.#join(place);
    for (const place of beyond) this.#below.fill(1, namedFrom[place], namedFrom[place + 1]);
    const isKnown = new Uint8Array(ids.length);
    for (const { sample } of this.#members) isKnown[sample] = 1;
    const groups = this.#sizes.length;
    return question.places.map((_, place) => {
      // A list that grows would have room for many groups.
      const covered = new Array<number>(groups);
      for (let group = 0; group < groups; group++) covered[group] = this.#covered[place * groups + group] as number;
      if (namedFrom[place] === namedFrom[place + 1]) return { covered, below: none };
      const below: string[] = [];
      for (let i = namedFrom[place] as number; i < (namedFrom[place + 1] as number); i++) {
        const sample = named[i] as number;
        if (this.#below[i] === 1 && isKnown[sample] === 1) below.push(ids[sample] as string);
      }
      return { covered, below };
    });
  }

  /** Counts the members that lack no piece of the place. */
  #join(place: number): void {
    const { named, namedFrom } = this.#asked;
    const counts = [...this.#sizes];
    const lacking = this.#lacking.get(place);
    if (lacking !== undefined) {
      for (const { sample, group } of this.#members) {
        if (hasBit(lacking, sample)) counts[group] = (counts[group] as number) - 1;
      }
      for (let i = namedFrom[place] as number; i < (namedFrom[place + 1] as number); i++) {
        if (hasBit(lacking, named[i] as number)) this.#below[i] = 1;
      }
    }
    this.#covered.set(counts, place * counts.length);
  }

  #lack(place: number, sample: number): void {
    let bits = this.#lacking.get(place);
    if (bits === undefined) {
      bits = new Uint8Array((this.#asked.ids.length >> 3) + 1);
      this.#lacking.set(place, bits);
    }
    bits[sample >> 3] = (bits[sample >> 3] as number) | (1 << (sample & 7));
  }
}

const none: readonly string[] = [];

function hasBit(bits: Uint8Array, number: number): boolean {
  return ((bits[number >> 3] as number) & (1 << (number & 7))) !== 0;
}

/** The places in a window at which it is asked about each sample that is in no track. */
class NamedPlaces {
  readonly #sorted: SortedPlaces;
  /** For each sample, where its entries begin in the other columns; one more than there are samples. */
  readonly #from: Uint32Array;
  /** The number of the place in the window, ascending for each sample, and of the naming in the question. */
  readonly #pieces: Uint32Array;
  readonly #namings: Uint32Array;

  constructor({ ids, named, namedFrom }: Asked, { whole }: Window, sorted: SortedPlaces, tracked: TrackTally) {
    this.#sorted = sorted;
    const from = new Uint32Array(ids.length + 1);
    this.#from = from;
    this.#pieces = this.#namings = from;
    if (tracked.hasAll) return;
    for (const { place } of whole) {
      for (let i = namedFrom[place] as number; i < (namedFrom[place + 1] as number); i++) {
        const next = (named[i] as number) + 1;
        if (!tracked.has(next - 1)) from[next] = (from[next] as number) + 1;
      }
    }
    for (let i = 1; i <= ids.length; i++) from[i] = (from[i] as number) + (from[i - 1] as number);
    const total = from[ids.length] as number;
    this.#pieces = new Uint32Array(total);
    this.#namings = new Uint32Array(total);
    if (total === 0) return;
    const next = from.slice();
    for (let piece = 0; piece < whole.length; piece++) {
      const { place } = whole[piece] as Window['whole'][number];
      for (let i = namedFrom[place] as number; i < (namedFrom[place + 1] as number); i++) {
        const sample = named[i] as number;
        if (tracked.has(sample)) continue;
        const at = next[sample] as number;
        this.#pieces[at] = piece;
        this.#namings[at] = i;
        next[sample] = at + 1;
      }
    }
  }

  /** Sets `below` of each naming of the sample at whose place these runs do not cover it. */
  note(sample: number, runs: Uint32Array, below: Uint8Array): void {
    const { starts, ends } = this.#sorted;
    const to = this.#from[sample + 1] as number;
    for (let i = this.#from[sample] as number, run = 0; i < to; i++) {
      const piece = this.#pieces[i] as number;
      const start = starts[piece] as number;
      run = firstRun(runs, run, start);
      const isWithin =
        run < runs.length && (runs[run] as number) <= start && (ends[piece] as number) <= (runs[run + 1] as number);
      if (!isWithin) below[this.#namings[i] as number] = 1;
    }
  }
}
