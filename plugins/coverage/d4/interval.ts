/** Intervals as the caller gives them, and clipped to their chromosomes. */
import { D4Error } from './error.js';

/** Bases of a chromosome, zero-based half-open. */
export interface Interval {
  chromosome: string;
  begin: number;
  end: number;
}

/** Intervals by index: an array, or a list that makes each one when it is read. */
export interface Intervals {
  readonly length: number;
  at(place: number): Interval | undefined;
}

/** An interval inside its chromosome, which is given by its index in the track's list. */
export interface Located {
  chromosome: number;
  begin: number;
  end: number;
}

/**
 * Clips an interval to its chromosome; one beyond the end becomes empty. Throws D4Error `invalid` for coordinates that are
 * negative, not whole or in the wrong order.
 */
export function locate(interval: Interval, chromosome: number, size: number): Located {
  const { begin, end } = interval;
  if (!Number.isSafeInteger(begin) || !Number.isSafeInteger(end) || begin < 0 || end < begin) {
    const place = `${interval.chromosome}:${begin}-${end}`;
    throw new D4Error('invalid', 'An interval needs whole numbers with 0 <= begin <= end', place);
  }
  return { chromosome, begin: Math.min(begin, size), end: Math.min(end, size) };
}
