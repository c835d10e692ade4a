/** Divides places by the windows of stored runs that their bases are in. */
import type { Build, Chromosome } from '../contract.js';
import { sizeIn } from '../d4/verify/contigs.js';
import { runWindow } from '../registry/covered-runs.js';
import type { AskedPlaces } from './question.js';

/** Bases [start, end) of a place, within one window. */
export interface Piece {
  /** Its number in the question. */
  place: number;
  start: number;
  end: number;
}

/** The same in columns: there are millions. */
export interface Pieces {
  places: Uint32Array;
  starts: Uint32Array;
  ends: Uint32Array;
}

export interface Window {
  chromosome: Chromosome;
  /** A multiple of `runWindow`. */
  start: number;
  /** At most the end of the chromosome. */
  end: number;
  /** Places that are this one piece, by start. */
  whole: Pieces;
  /** Pieces of other places, which must all be covered. */
  parts: readonly Piece[];
}

export interface Divided {
  /** In the order in which the places first need them. */
  windows: readonly Window[];
  /** Numbers of places with bases beyond the end of their chromosome: no sample covers them. */
  beyond: readonly number[];
}

interface Filled extends Pick<Window, 'chromosome' | 'start' | 'end'> {
  /** The places that are one piece. */
  whole: number[];
  parts: Piece[];
}

export function divide(asked: AskedPlaces, build: Build): Divided {
  const { chromosomes, starts, ends, intervalsFrom } = asked;
  const windows = new Map<string, Filled>();
  const beyond: number[] = [];
  let last: Filled | undefined;
  let size = 0;
  for (let place = 0; place < chromosomes.length; place++) {
    const chromosome = chromosomes[place] as Chromosome;
    if (place === 0 || chromosome !== chromosomes[place - 1]) size = sizeIn(build, chromosome) ?? 0;
    const first = intervalsFrom?.[place] ?? place;
    const after = intervalsFrom?.[place + 1] ?? place + 1;
    if (isBeyond(ends, first, after, size)) {
      beyond.push(place);
      continue;
    }
    const isWhole = after === first + 1 && windowOf(starts[first] as number) === windowOf((ends[first] as number) - 1);
    for (let i = first; i < after; i++) {
      for (let start = starts[i] as number; start < (ends[i] as number); ) {
        const from = windowOf(start);
        const end = Math.min(ends[i] as number, from + runWindow);
        // Places are nearly always in the order of the genome.
        if (last === undefined || last.start !== from || last.chromosome !== chromosome) {
          const key = `${chromosome}:${from}`;
          const to = Math.min(from + runWindow, size);
          last = windows.get(key) ?? { chromosome, start: from, end: to, whole: [], parts: [] };
          windows.set(key, last);
        }
        if (isWhole) last.whole.push(place);
        else last.parts.push({ place, start, end });
        start = end;
      }
    }
  }
  const filled = [...windows.values()];
  return { windows: filled.map((window) => ({ ...window, whole: byStart(window.whole, asked) })), beyond };
}

/** Places of one interval each. */
function byStart(places: number[], { starts, ends, intervalsFrom }: AskedPlaces): Pieces {
  const at = (place: number) => intervalsFrom?.[place] ?? place;
  const startOf = (place: number) => starts[at(place)] as number;
  for (let i = 1; i < places.length; i++) {
    if (startOf(places[i - 1] as number) <= startOf(places[i] as number)) continue;
    places.sort((one, other) => startOf(one) - startOf(other));
    break;
  }
  const pieces = {
    places: Uint32Array.from(places),
    starts: new Uint32Array(places.length),
    ends: new Uint32Array(places.length),
  };
  for (let i = 0; i < places.length; i++) {
    const interval = at(places[i] as number);
    pieces.starts[i] = starts[interval] as number;
    pieces.ends[i] = ends[interval] as number;
  }
  return pieces;
}

function isBeyond(ends: Uint32Array, first: number, after: number, size: number): boolean {
  for (let i = first; i < after; i++) if ((ends[i] as number) > size) return true;
  return false;
}

function windowOf(base: number): number {
  return base - (base % runWindow);
}
