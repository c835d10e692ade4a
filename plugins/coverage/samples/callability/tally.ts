/** Counts, place by place, the samples that cover it. */
import type { MergedRuns } from '../tracks/merged-runs.js';
import type { DividedPlaces, PlaceQuestion, Window, WindowPieces } from './question.js';
import type { CountedSample } from './stored-runs.js';
import type { KnownSamples, TrackTally } from './tracked.js';

/** What is counted of a question. */
export interface CoveredCounts {
  /** For each place, the covered samples of each group. */
  covered: Uint32Array;
  /** For each named sample: 1 if it is known and not covered at its place. */
  below: Uint8Array;
}

/** Numbers throughout, in columns: a batch may name a million samples. */
export class CallabilityTally {
  readonly #asked: PlaceQuestion;
  readonly #samples: KnownSamples;
  /** Members of each group. */
  readonly #sizes: readonly number[];
  readonly #covered: Uint32Array;
  /** For places of several pieces, the samples that lack one: a bit for each. */
  readonly #lacking = new Map<number, Uint8Array>();
  readonly #below: Uint8Array;

  constructor(asked: PlaceQuestion, samples: KnownSamples) {
    this.#asked = asked;
    this.#samples = samples;
    this.#sizes = samples.sizes;
    this.#covered = new Uint32Array(asked.chromosomes.length * samples.sizes.length);
    this.#below = new Uint8Array(asked.named.length);
  }

  /**
   * Counts in one window: `addTracks` takes what each track says of it, `add` the runs of each member that is in no track,
   * and `end` completes the counts.
   */
  in(window: Window): {
    addTracks(tracks: readonly MergedRuns[]): void;
    add(member: CountedSample, runs: Uint32Array): void;
    end(): void;
  } {
    const { whole, parts } = window;
    const { tracked, ids } = this.#samples;
    // Without samples that are read one by one there is nothing to sweep.
    const { hasAll } = tracked;
    const sorted = new SortedPlaces(hasAll ? noPieces : whole);
    const changes = hasAll ? [] : this.#sizes.map(() => new Int32Array(whole.places.length + 1));
    const named = new NamedPlaces(this.#asked, ids.length, whole, sorted, tracked);
    return {
      addTracks: (tracks) => {
        const found = tracked.find(tracks, window);
        this.#addFound(found, whole);
        for (const [i, { place }] of parts.entries()) {
          for (const sample of tracked.samples) {
            if (tracked.lacks(found, whole.places.length + i, sample)) this.#lack(place, sample);
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
          for (let i = 0; i < whole.places.length; i++) {
            const at = (whole.places[i] as number) * changes.length + group;
            this.#covered[at] = (this.#covered[at] as number) + (counts[i] as number);
          }
        }
      },
    };
  }

  /** `found` has the bits of the samples of tracks at each piece. */
  #addFound(found: Int32Array, { places }: WindowPieces): void {
    const { named, namedFrom } = this.#asked;
    const { tracked } = this.#samples;
    const groups = this.#sizes.length;
    for (let i = 0; i < places.length; i++) {
      const place = places[i] as number;
      for (let group = 0; group < groups; group++) {
        this.#covered[place * groups + group] = tracked.count(found, i, group);
      }
      const to = namedFrom[place + 1] as number;
      for (let n = namedFrom[place] as number; n < to; n++) {
        if (tracked.lacks(found, i, named[n] as number)) this.#below[n] = 1;
      }
    }
  }

  /** After all windows. */
  counts({ windows, beyond }: DividedPlaces): CoveredCounts {
    const { named, namedFrom } = this.#asked;
    const { isKnown, members, ids } = this.#samples;
    for (const place of new Set(windows.flatMap(({ parts }) => parts.map(({ place }) => place)))) this.#join(place);
    for (const place of beyond) this.#below.fill(1, namedFrom[place], namedFrom[place + 1]);
    if (members.length < ids.length) {
      for (let i = 0; i < named.length; i++) if (isKnown[named[i] as number] === 0) this.#below[i] = 0;
    }
    return { covered: this.#covered, below: this.#below };
  }

  /** Counts the members that lack no piece of the place. */
  #join(place: number): void {
    const { named, namedFrom } = this.#asked;
    const counts = [...this.#sizes];
    const lacking = this.#lacking.get(place);
    if (lacking !== undefined) {
      for (const { sample, group } of this.#samples.members) {
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
      bits = new Uint8Array((this.#samples.ids.length >> 3) + 1);
      this.#lacking.set(place, bits);
    }
    bits[sample >> 3] = (bits[sample >> 3] as number) | (1 << (sample & 7));
  }
}

const noPieces: WindowPieces = { places: new Uint32Array(), starts: new Uint32Array(), ends: new Uint32Array() };

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

  constructor(
    { named, namedFrom }: PlaceQuestion,
    samples: number,
    { places }: WindowPieces,
    sorted: SortedPlaces,
    tracked: TrackTally,
  ) {
    this.#sorted = sorted;
    const from = new Uint32Array(samples + 1);
    this.#from = from;
    this.#pieces = this.#namings = from;
    if (tracked.hasAll) return;
    for (const place of places) {
      for (let i = namedFrom[place] as number; i < (namedFrom[place + 1] as number); i++) {
        const next = (named[i] as number) + 1;
        if (!tracked.has(next - 1)) from[next] = (from[next] as number) + 1;
      }
    }
    for (let i = 1; i <= samples; i++) from[i] = (from[i] as number) + (from[i - 1] as number);
    const total = from[samples] as number;
    this.#pieces = new Uint32Array(total);
    this.#namings = new Uint32Array(total);
    if (total === 0) return;
    const next = from.slice();
    for (let piece = 0; piece < places.length; piece++) {
      const place = places[piece] as number;
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

// Finds the places that runs cover.

/** Places of a window, by start. */
class SortedPlaces {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Bases of the longest. */
  readonly longest: number;
  /** For each stretch of 2^`#shift` bases from `#origin` on, the first place that starts in it or later. */
  readonly #firstIn: Uint32Array;
  readonly #origin: number;
  readonly #shift: number;

  constructor({ starts, ends }: { starts: Uint32Array; ends: Uint32Array }) {
    this.starts = starts;
    this.ends = ends;
    let longest = 0;
    for (let i = 0; i < starts.length; i++) longest = Math.max(longest, (ends[i] as number) - (starts[i] as number));
    this.longest = longest;
    this.#origin = starts[0] ?? 0;
    const bases = (starts.at(-1) ?? 0) - this.#origin + 1;
    // So many stretches that few of them have several places.
    this.#shift = Math.max(0, Math.ceil(Math.log2(bases / (8 * starts.length + 1))));
    this.#firstIn = new Uint32Array((bases >>> this.#shift) + 1);
    const step = 2 ** this.#shift;
    for (let stretch = 0, place = 0, from = this.#origin; stretch < this.#firstIn.length; stretch++, from += step) {
      while (place < starts.length && (starts[place] as number) < from) place++;
      this.#firstIn[stretch] = place;
    }
  }

  /** The first place that starts at the base or later; the number of places if there is none. */
  firstFrom(base: number): number {
    const { starts } = this;
    const offset = base - this.#origin;
    if (offset <= 0) return 0;
    const stretch = offset >>> this.#shift;
    if (stretch >= this.#firstIn.length) return starts.length;
    let place = this.#firstIn[stretch] as number;
    while (place < starts.length && (starts[place] as number) < base) place++;
    return place;
  }
}

/**
 * Adds 1 to the count of each place that lies within one of the runs (alternating starts and ends, ascending, with bases between
 * two runs). `changes` has the differences between the counts of neighbours, and one entry more than there are places, so that
 * the cost is that of the runs and not of the covered places.
 */
function addCovered(places: SortedPlaces, runs: Uint32Array, changes: Int32Array): void {
  const { starts, ends, longest } = places;
  const count = starts.length;
  for (let place = 0, run = 0; place < count; ) {
    run = firstRun(runs, run, starts[place] as number);
    if (run >= runs.length) return;
    const to = runs[run + 1] as number;
    const first = places.firstFrom(runs[run] as number);
    const last = places.firstFrom(to);
    if (first < last) {
      changes[first] = (changes[first] as number) + 1;
      changes[last] = (changes[last] as number) - 1;
      // Of those that start in the run, the last ones may end beyond it.
      for (let i = last - 1; i >= first && (starts[i] as number) + longest > to; i--) {
        if ((ends[i] as number) <= to) continue;
        changes[i] = (changes[i] as number) - 1;
        changes[i + 1] = (changes[i + 1] as number) + 1;
      }
    }
    place = last;
    run += 2;
  }
}

/** The sums of the changes up to each place. */
function countsOf(changes: Int32Array): Int32Array {
  const counts = new Int32Array(changes.length - 1);
  let sum = 0;
  for (let i = 0; i < counts.length; i++) {
    sum += changes[i] as number;
    counts[i] = sum;
  }
  return counts;
}

/** Whether all bases of [start, end) are in one of the runs. */
function isCovered(runs: Uint32Array, start: number, end: number): boolean {
  const run = firstRun(runs, 0, start);
  return run < runs.length && (runs[run] as number) <= start && end <= (runs[run + 1] as number);
}

/** Entries that are looked at one after the other before the search takes larger steps. */
const nearby = 16;

/** Where the first run starts, from this one on, that ends after the base; the length of the list if there is none. */
function firstRun(runs: Uint32Array, from: number, base: number): number {
  let low = from;
  for (const near = Math.min(from + nearby, runs.length); low < near; low += 2) {
    if ((runs[low + 1] as number) > base) return low;
  }
  let step = 2;
  while (low + step < runs.length && (runs[low + step - 1] as number) <= base) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, runs.length);
  while (low < high) {
    const middle = low + (((high - low) >> 2) << 1);
    if ((runs[middle + 1] as number) <= base) low = middle + 2;
    else high = middle;
  }
  return low;
}
