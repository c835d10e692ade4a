/** The regions that a file has, as intervals of it. */
import type { Interval } from '../d4/interval.js';
import { type List, listOf } from './list.js';
import type { Region } from './region.js';

export interface IntervalsIn {
  intervals: List<Interval>;
  /** Of each interval, the index of its region. */
  places: Uint32Array;
}

/** Leaves out regions on chromosomes that the file lacks. `names` are the file's own names for the others. */
export function intervalsIn(regions: List<Region>, names: ReadonlyMap<string, string>): IntervalsIn {
  const places = new Uint32Array(regions.length);
  let [place, count] = [0, 0];
  for (const { chromosome } of regions) {
    if (names.has(chromosome)) places[count++] = place;
    place += 1;
  }
  const intervals = listOf(count, (i): Interval => {
    const { chromosome, start, end } = regions.at(places[i] as number) as Region;
    return { chromosome: names.get(chromosome) as string, begin: start, end };
  });
  return { intervals, places: places.subarray(0, count) };
}
