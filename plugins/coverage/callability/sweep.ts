/** Finds the places that runs cover. */

/** Places of a window, by start. */
export interface SortedPlaces {
  starts: Uint32Array;
  ends: Uint32Array;
  /** Bases of the longest. */
  longest: number;
}

export function sortedPlaces(places: readonly { start: number; end: number }[]): SortedPlaces {
  return {
    starts: Uint32Array.from(places, ({ start }) => start),
    ends: Uint32Array.from(places, ({ end }) => end),
    longest: places.reduce((most, { start, end }) => Math.max(most, end - start), 0),
  };
}

/**
 * Adds 1 to the count of each place that lies within one of the runs (alternating starts and ends, ascending, with bases between
 * two runs). `changes` has the differences between the counts of neighbours, and one entry more than there are places, so that
 * the cost is that of the runs and not of the covered places.
 */
export function addCovered({ starts, ends, longest }: SortedPlaces, runs: Uint32Array, changes: Int32Array): void {
  const count = starts.length;
  for (let place = 0, run = 0; place < count; ) {
    run = firstRun(runs, run, starts[place] as number);
    if (run >= runs.length) return;
    const from = runs[run] as number;
    const to = runs[run + 1] as number;
    const first = firstFrom(starts, place, from);
    const last = firstFrom(starts, first, to);
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

/** The first place from this one on that starts at the base or later. */
function firstFrom(starts: Uint32Array, from: number, base: number): number {
  let low = from;
  for (const near = Math.min(from + nearby, starts.length); low < near; low++) {
    if ((starts[low] as number) >= base) return low;
  }
  let step = 1;
  while (low + step < starts.length && (starts[low + step - 1] as number) < base) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, starts.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) < base) low = middle + 1;
    else high = middle;
  }
  return low;
}
