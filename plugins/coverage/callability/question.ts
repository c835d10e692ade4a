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

/** The group of each sample, by id, in the order of the question. Throws an `invalid` fault if the question cannot be answered. */
export function groupsIn({ build, threshold, groups, places }: CoveredQuestion): ReadonlyMap<string, number> {
  if (!builds.includes(build)) throw invalid(`The build must be one of ${builds.join(', ')}`);
  if (!Number.isSafeInteger(threshold) || threshold < 1)
    throw invalid('The threshold must be a whole number from 1 on');
  if (places.length > mostPlaces)
    throw invalid(`There are ${places.length} places, at most ${mostPlaces} are possible`);
  const found = new Map<string, number>();
  for (const [group, ids] of groups.entries()) {
    for (const id of ids) {
      if (found.has(id)) throw invalid(`A sample is named twice in the groups, the second time in groups.${group}`);
      found.set(id, group);
      if (found.size > mostSamples) throw invalid(`There are more than ${mostSamples} samples`);
    }
  }
  let named = 0;
  for (const [i, place] of places.entries()) {
    checkPlace(place, `places.${i}`);
    named += place.named?.length ?? 0;
    if (named > mostNamed) throw invalid(`More than ${mostNamed} samples are named at places`);
    if (place.named?.some((id) => !found.has(id))) throw invalid(`places.${i}.named has a sample that is in no group`);
  }
  return found;
}

function checkPlace({ chromosome, intervals }: CoveredPlace, where: string): void {
  if (!chromosomes.includes(chromosome)) throw invalid(`${where}.chromosome must be one of 1 to 22, X, Y, MT`);
  if (intervals.length === 0 || intervals.length > mostIntervals) {
    throw invalid(`${where}.intervals must have 1 to ${mostIntervals} intervals`);
  }
  let least = 0;
  for (const { start, end } of intervals) {
    const isWhole = Number.isSafeInteger(start) && Number.isSafeInteger(end) && end <= 0xffff_ffff;
    if (!isWhole || start < least || end <= start) {
      throw invalid(`${where}.intervals must ascend, with whole numbers from 0 on and start below end`);
    }
    least = start;
  }
}

function invalid(message: string): Fault {
  return new Fault('invalid', message);
}
