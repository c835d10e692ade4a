/** What a question may ask. */
import { Fault } from '../../../core/plugin.js';
import { builds, chromosomes } from '../contract.js';
import type { CoveredPlace, CoveredQuestion } from './service.js';

export const mostPlaces = 10_000;
/** Ids in all groups together. */
export const mostSamples = 100_000;
/** Intervals of one place. */
export const mostIntervals = 10;
/** Ids named at all places together. */
export const mostNamed = 1_000_000;

/** A question that can be answered. Samples have numbers, in the order of the groups. */
export interface Asked {
  question: CoveredQuestion;
  /** By number. */
  ids: readonly string[];
  /** The numbers of the samples that are named, place by place. */
  named: Uint32Array;
  /** For each place, where those named there begin; one more than there are places. */
  namedFrom: Uint32Array;
}

/** Throws an `invalid` fault if the question cannot be answered. */
export function readQuestion(question: CoveredQuestion): Asked {
  const { build, threshold, groups, places } = question;
  if (!builds.includes(build)) throw invalid(`The build must be one of ${builds.join(', ')}`);
  if (!Number.isSafeInteger(threshold) || threshold < 1)
    throw invalid('The threshold must be a whole number from 1 on');
  if (places.length > mostPlaces)
    throw invalid(`There are ${places.length} places, at most ${mostPlaces} are possible`);
  const found = new Map<string, number>();
  for (const [group, ids] of groups.entries()) {
    for (const id of ids) {
      if (found.has(id)) throw invalid(`A sample is named twice in the groups, the second time in groups.${group}`);
      found.set(id, found.size);
      if (found.size > mostSamples) throw invalid(`There are more than ${mostSamples} samples`);
    }
  }
  const namedFrom = new Uint32Array(places.length + 1);
  let count = 0;
  for (let i = 0; i < places.length; i++) {
    const place = places[i] as CoveredPlace;
    checkPlace(place, i);
    count += place.named?.length ?? 0;
    if (count > mostNamed) throw invalid(`More than ${mostNamed} samples are named at places`);
    namedFrom[i + 1] = count;
  }
  const named = new Uint32Array(count);
  for (let i = 0; i < places.length; i++) {
    const place = places[i] as CoveredPlace;
    if (place.named === undefined) continue;
    let at = namedFrom[i] as number;
    for (const id of place.named) {
      const number = found.get(id);
      if (number === undefined) throw invalid(`places.${i}.named has a sample that is in no group`);
      named[at++] = number;
    }
  }
  return { question, ids: [...found.keys()], named, namedFrom };
}

function checkPlace({ chromosome, intervals }: CoveredPlace, i: number): void {
  if (!chromosomes.includes(chromosome)) throw invalid(`places.${i}.chromosome must be one of 1 to 22, X, Y, MT`);
  if (intervals.length === 0 || intervals.length > mostIntervals) {
    throw invalid(`places.${i}.intervals must have 1 to ${mostIntervals} intervals`);
  }
  let least = 0;
  for (const { start, end } of intervals) {
    const isWhole = Number.isSafeInteger(start) && Number.isSafeInteger(end) && end <= 0xffff_ffff;
    if (!isWhole || start < least || end <= start) {
      throw invalid(`places.${i}.intervals must ascend, with whole numbers from 0 on and start below end`);
    }
    least = start;
  }
}

function invalid(message: string): Fault {
  return new Fault('invalid', message);
}
