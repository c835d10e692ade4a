/**
 * Allele fractions of calls: the share of a sample's reads that show the allele. On MT it is the level of heteroplasmy, elsewhere
 * a low one points to a mosaic. They are whole percents, rounded down, so that comparing one with a whole percent gives what the
 * fraction itself would give.
 */
import { Fault } from '../../../core/storage.js';
import type { CarrierFraction, Contig } from './allele.js';

/** Outside of MT, fractions from here on are those of ordinary calls, and are not kept. */
export const keptBelow = 25;

/** Whether a load keeps an allele fraction. */
export function isFractionKept(contig: Contig, percent: number): boolean {
  return percent >= 0 && (contig === 'MT' || percent < keptBelow);
}

/** The fraction from which on calls count at a place; those without a known fraction always do. `minimum` is that of the dataset. */
export function leastFraction(contig: Contig, minimum: number | undefined): number {
  return contig === 'MT' ? (minimum ?? 0) : 0;
}

/**
 * Copies and allele fraction of one call as a number: the greater one has more copies, or as many and a higher known fraction. Of
 * several forms of one change in a sample that one counts.
 */
export function callOf(copies: number, percent: number | undefined): number {
  return copies * 128 + (percent ?? -1) + 1;
}

export function copiesOfCall(call: number): number {
  return Math.floor(call / 128);
}

/** Undefined if unknown. */
export function fractionOfCall(call: number): number | undefined {
  return call % 128 === 0 ? undefined : (call % 128) - 1;
}

/** Carriers with their copies, and fractions by carrier, as calls. */
export function callsOf<Name>(
  carriers: Iterable<readonly [Name, number]>,
  fractions: ReadonlyMap<Name, number> | undefined,
): [Name, number][] {
  return [...carriers].map(([name, copies]) => [name, callOf(copies, fractions?.get(name))]);
}

/** Those that several records of one import state of an allele: of a sample that comes again, the first. */
export function firstFractions(
  known: readonly CarrierFraction[] | undefined,
  again: readonly CarrierFraction[] | undefined,
): readonly CarrierFraction[] | undefined {
  return known && again ? [...new Map([...again, ...known])] : (known ?? again);
}

/** Throws an `invalid` fault unless they are whole percents. */
export function fractionsWithinBounds(contig: Contig, fractions: readonly CarrierFraction[] = []): void {
  for (const [, percent] of fractions) {
    if (Number.isInteger(percent) && percent >= 0 && percent <= 100) continue;
    throw new Fault(
      'invalid',
      `An allele of chromosome ${contig} has an allele fraction that is not a whole percent from 0 to 100`,
    );
  }
}

/** The allele fractions of the carriers that an observation counts. */
export interface ObservedFractions {
  /** How many carriers have each percent, ascending; of a carrier with several calls the highest. */
  levels: readonly (readonly [percent: number, carriers: number])[];
  /** Carriers without a known fraction; outside of MT also those with one from `keptBelow` on. */
  unknown: number;
  /** Other samples, which carry it below `minimumHeteroplasmy` alone: no other number counts them. */
  below: number;
}

/** Counts the percents of carriers, of whom there are so many in all. */
export function observedFractions(percents: Iterable<number>, carriers: number, below: number): ObservedFractions {
  const counts = new Map<number, number>();
  let known = 0;
  for (const percent of percents) {
    counts.set(percent, (counts.get(percent) ?? 0) + 1);
    known++;
  }
  return { levels: [...counts].sort(([one], [other]) => one - other), unknown: carriers - known, below };
}

/** Carriers with a fraction of at least so many percent. */
export function carriersFrom({ levels }: Pick<ObservedFractions, 'levels'>, percent: number): number {
  return levels.reduce((sum, [level, carriers]) => (level >= percent ? sum + carriers : sum), 0);
}

/** The median of the known fractions, in percent: between two it is their mean. Undefined if none is known. */
export function medianFraction({ levels }: Pick<ObservedFractions, 'levels'>): number | undefined {
  const known = carriersFrom({ levels }, 0);
  const at = (place: number) =>
    levels.find(([percent]) => known - carriersFrom({ levels }, percent + 1) > place)?.[0] ?? 0;
  return known === 0 ? undefined : (at(Math.floor((known - 1) / 2)) + at(Math.floor(known / 2))) / 2;
}
