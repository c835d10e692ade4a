/** Finds the places that runs cover. */

/** Places of a window, by start. */
export class SortedPlaces {
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
export function addCovered(places: SortedPlaces, runs: Uint32Array, changes: Int32Array): void {
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
export function countsOf(changes: Int32Array): Int32Array {
  const counts = new Int32Array(changes.length - 1);
  let sum = 0;
  for (let i = 0; i < counts.length; i++) {
    sum += changes[i] as number;
    counts[i] = sum;
  }
  return counts;
}

/** Whether all bases of [start, end) are in one of the runs. */
export function isCovered(runs: Uint32Array, start: number, end: number): boolean {
  const run = firstRun(runs, 0, start);
  return run < runs.length && (runs[run] as number) <= start && end <= (runs[run + 1] as number);
}

/** Entries that are looked at one after the other before the search takes larger steps. */
const nearby = 16;

/** Where the first run starts, from this one on, that ends after the base; the length of the list if there is none. */
export function firstRun(runs: Uint32Array, from: number, base: number): number {
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
