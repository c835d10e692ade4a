/** Divides places by the windows of stored runs that their bases are in. */
import type { Build, Chromosome } from '../contract.js';
import { sizeIn } from '../d4/verify/contigs.js';
import { runWindow } from '../registry/covered-runs.js';
import type { CoveredPlace } from './service.js';

/** Bases [start, end) of a place, within one window. */
export interface Piece {
  /** Its number in the question. */
  place: number;
  start: number;
  end: number;
}

export interface Window {
  chromosome: Chromosome;
  /** A multiple of `runWindow`. */
  start: number;
  /** At most the end of the chromosome. */
  end: number;
  /** Places that are this one piece, by start. */
  whole: Piece[];
  /** Pieces of other places, which must all be covered. */
  parts: Piece[];
}

export interface Divided {
  /** In the order in which the places first need them. */
  windows: readonly Window[];
  /** Numbers of places with bases beyond the end of their chromosome: no sample covers them. */
  beyond: readonly number[];
}

export function divide(places: readonly CoveredPlace[], build: Build): Divided {
  const windows = new Map<string, Window>();
  const beyond: number[] = [];
  let last: Window | undefined;
  for (let place = 0; place < places.length; place++) {
    const { chromosome, intervals } = places[place] as CoveredPlace;
    const size = sizeIn(build, chromosome) ?? 0;
    if (intervals.some(({ end }) => end > size)) {
      beyond.push(place);
      continue;
    }
    const [only] = intervals;
    const isWhole = intervals.length === 1 && only !== undefined && windowOf(only.start) === windowOf(only.end - 1);
    for (const interval of intervals) {
      for (let start = interval.start; start < interval.end; ) {
        const from = windowOf(start);
        const end = Math.min(interval.end, from + runWindow);
        // Places are nearly always in the order of the genome.
        if (last === undefined || last.start !== from || last.chromosome !== chromosome) {
          const key = `${chromosome}:${from}`;
          const end = Math.min(from + runWindow, size);
          last = windows.get(key) ?? { chromosome, start: from, end, whole: [], parts: [] };
          windows.set(key, last);
        }
        (isWhole ? last.whole : last.parts).push({ place, start, end });
        start = end;
      }
    }
  }
  for (const { whole } of windows.values()) whole.sort((a, b) => a.start - b.start);
  return { windows: [...windows.values()], beyond };
}

function windowOf(base: number): number {
  return Math.floor(base / runWindow) * runWindow;
}
