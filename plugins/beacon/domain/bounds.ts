/** The bounds of stored positions and copies, the same on every engine. */
import { Fault } from '../../../core/storage.js';
import type { Allele, Bounds, Carrier } from './allele.js';

/** The largest position, and the most copies of an allele in one import: 2³¹ − 1. */
export const farthest = 2 ** 31 - 1;

/**
 * The copies of all carriers together. Throws an `invalid` fault unless the allele's start, end, ranges and length are whole
 * numbers from 0 to `farthest`, the copies of each carrier whole numbers from 1, and all together at most `farthest`.
 */
export function callsWithinBounds(allele: Allele, carriers: Iterable<Carrier>): number {
  const { contig, start, end, startRange, endRange, length = 0 } = allele;
  if (![start, end, length].every(isPosition) || !isRange(startRange) || !isRange(endRange)) {
    throw new Fault(
      'invalid',
      `An allele of chromosome ${contig} has a position or length that is not a whole number from 0 to ${farthest}`,
    );
  }
  let calls = 0;
  for (const [, copies] of carriers) calls += Number.isInteger(copies) && copies > 0 ? copies : Number.NaN;
  if (calls <= farthest) return calls;
  throw new Fault(
    'invalid',
    `An allele of chromosome ${contig} has copies that are not whole numbers from 1, or more than ${farthest} in all`,
  );
}

function isRange(range: Bounds | undefined): boolean {
  return range === undefined || (isPosition(range.min) && isPosition(range.max));
}

function isPosition(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= farthest;
}
