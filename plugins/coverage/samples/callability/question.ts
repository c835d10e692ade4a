/** What a question on covered samples may ask, and its places divided by the windows of the stored runs. */
import { Fault } from '../../../../core/plugin.js';
import type { CoveredPlace, CoveredQuestion, NumberedQuestion, QuestionedSamples } from '../../../services/coverage.js';
import { type Build, builds, type Chromosome, chromosomes } from '../../contract.js';
import { sizeIn } from '../../d4/index.js';
import { runWindow } from '../covered-runs.js';

export const mostPlaces = 10_000;
/** Ids in all groups together. */
export const mostSamples = 100_000;
/** Intervals of one place. */
export const mostIntervals = 10;
/** Ids named at all places together. */
const mostNamed = 1_000_000;

/** Samples that can be asked about. They have numbers, in the order of the groups. */
export interface SampleQuestion extends QuestionedSamples {
  /** By number. */
  ids: readonly string[];
  numbers: ReadonlyMap<string, number>;
}

/** Places that can be asked about, in columns. */
export interface PlaceQuestion extends NumberedQuestion {
  /** For each place, where its intervals begin among `starts` and `ends`; one more than there are places. One each if omitted. */
  intervalsFrom?: Uint32Array;
}

/** Throws an `invalid` fault if the samples cannot be asked about. */
export function readSamples({ build, threshold, groups }: QuestionedSamples): SampleQuestion {
  if (!builds.includes(build)) throw invalid(`The build must be one of ${builds.join(', ')}`);
  if (!Number.isSafeInteger(threshold) || threshold < 1)
    throw invalid('The threshold must be a whole number from 1 on');
  const numbers = new Map<string, number>();
  for (const [group, ids] of groups.entries()) {
    for (const id of ids) {
      if (numbers.has(id)) throw invalid(`A sample is named twice in the groups, the second time in groups.${group}`);
      numbers.set(id, numbers.size);
      if (numbers.size > mostSamples) throw invalid(`There are more than ${mostSamples} samples`);
    }
  }
  return { build, threshold, groups, ids: [...numbers.keys()], numbers };
}

/** Throws an `invalid` fault if the places, or those named there, cannot be asked about. */
export function readPlaces(
  { places }: Pick<CoveredQuestion, 'places'>,
  { numbers }: Pick<SampleQuestion, 'numbers'>,
): PlaceQuestion {
  checkCount(places.length);
  const namedFrom = new Uint32Array(places.length + 1);
  const intervalsFrom = new Uint32Array(places.length + 1);
  for (let i = 0; i < places.length; i++) {
    const place = places[i] as CoveredPlace;
    checkPlace(place, i);
    intervalsFrom[i + 1] = (intervalsFrom[i] as number) + place.intervals.length;
    const named = (namedFrom[i] as number) + (place.named?.length ?? 0);
    checkNamed(named);
    namedFrom[i + 1] = named;
  }
  const spans = places.flatMap(({ intervals }) => intervals);
  const named = new Uint32Array(namedFrom[places.length] as number);
  for (let i = 0; i < places.length; i++) {
    let at = namedFrom[i] as number;
    for (const id of (places[i] as CoveredPlace).named ?? []) {
      const number = numbers.get(id);
      if (number === undefined) throw unknownName(i);
      named[at++] = number;
    }
  }
  return {
    chromosomes: places.map(({ chromosome }) => chromosome),
    starts: Uint32Array.from(spans, ({ start }) => start),
    ends: Uint32Array.from(spans, ({ end }) => end),
    intervalsFrom,
    named,
    namedFrom,
  };
}

/** Throws an `invalid` fault if the question cannot be answered about so many samples. */
export function checkNumbered(question: NumberedQuestion, samples: number): void {
  const { chromosomes, starts, ends, named, namedFrom } = question;
  const count = chromosomes.length;
  checkCount(count);
  checkNamed(named.length);
  if (starts.length !== count || ends.length !== count || namedFrom.length !== count + 1) {
    throw invalid('The columns must have one entry for each place');
  }
  if (namedFrom[0] !== 0 || namedFrom[count] !== named.length) throw invalid('The columns of named samples must agree');
  for (let i = 0; i < count; i++) {
    if (chromosomes[i] !== chromosomes[i - 1]) checkChromosome(chromosomes[i] as Chromosome, i);
    if ((ends[i] as number) <= (starts[i] as number)) throw unordered(i);
    const to = namedFrom[i + 1] as number;
    if (to < (namedFrom[i] as number)) throw invalid('The columns of named samples must agree');
    for (let n = namedFrom[i] as number; n < to; n++) if ((named[n] as number) >= samples) throw unknownName(i);
  }
}

function checkPlace({ chromosome, intervals }: CoveredPlace, i: number): void {
  checkChromosome(chromosome, i);
  if (intervals.length === 0 || intervals.length > mostIntervals) {
    throw invalid(`places.${i}.intervals must have 1 to ${mostIntervals} intervals`);
  }
  let least = 0;
  for (const { start, end } of intervals) {
    const isWhole = Number.isSafeInteger(start) && Number.isSafeInteger(end) && end <= 0xffff_ffff;
    if (!isWhole || start < least || end <= start) throw unordered(i);
    least = start;
  }
}

function checkChromosome(chromosome: Chromosome, i: number): void {
  if (!chromosomes.includes(chromosome)) throw invalid(`places.${i}.chromosome must be one of 1 to 22, X, Y, MT`);
}

function checkCount(places: number): void {
  if (places > mostPlaces) throw invalid(`There are ${places} places, at most ${mostPlaces} are possible`);
}

function checkNamed(named: number): void {
  if (named > mostNamed) throw invalid(`More than ${mostNamed} samples are named at places`);
}

function unordered(i: number): Fault {
  return invalid(`places.${i}.intervals must ascend, with whole numbers from 0 on and start below end`);
}

function unknownName(i: number): Fault {
  return invalid(`places.${i}.named has a sample that is in no group`);
}

function invalid(message: string): Fault {
  return new Fault('invalid', message);
}

// Divides places by the windows of stored runs that their bases are in.

/** Bases [start, end) of a place, within one window. */
interface WindowPiece {
  /** Its number in the question. */
  place: number;
  start: number;
  end: number;
}

/** The same in columns: there are millions. */
export interface WindowPieces {
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
  whole: WindowPieces;
  /** Pieces of other places, which must all be covered. */
  parts: readonly WindowPiece[];
}

export interface DividedPlaces {
  /** In the order in which the places first need them. */
  windows: readonly Window[];
  /** Numbers of places with bases beyond the end of their chromosome: no sample covers them. */
  beyond: readonly number[];
}

interface WindowPlaces extends Pick<Window, 'chromosome' | 'start' | 'end'> {
  /** The places that are one piece. */
  whole: number[];
  parts: WindowPiece[];
}

export function divide(asked: PlaceQuestion, build: Build): DividedPlaces {
  const { chromosomes, starts, ends, intervalsFrom } = asked;
  const windows = new Map<string, WindowPlaces>();
  const beyond: number[] = [];
  let last: WindowPlaces | undefined;
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
function byStart(places: number[], { starts, ends, intervalsFrom }: PlaceQuestion): WindowPieces {
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
