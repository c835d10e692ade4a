/** Depths along a stretch of a chromosome, as a genome browser draws them: exact if it is short, else means of parts. */
import { bins, type D4File, runs } from '../d4/index.js';
import type { Place } from './place.js';

/** Bases of a stretch whose depths are returned one by one. */
export const exactBases = 2000;
/** Parts of a longer stretch, if the request names no number, and at most. */
export const defaultParts = 1000;
export const mostParts = 4000;

/** A part of the stretch, zero-based half-open. */
export interface TrackValue {
  start: number;
  end: number;
  /** The depth of every base, or their mean; to four decimals. */
  value: number;
}

export interface TrackDepths {
  /** Whether each value is the depth of every base of its part. */
  exact: boolean;
  values: TrackValue[];
}

/** At most `exactBases` values if the stretch is as short, else at most `parts`. The values cover the stretch without a gap. */
export async function trackDepths(
  file: D4File,
  { own, start, end }: Place,
  parts: number,
  signal: AbortSignal,
): Promise<TrackDepths> {
  const interval = { chromosome: own, begin: start, end };
  const values: TrackValue[] = [];
  if (end - start <= exactBases) {
    for await (const { begins, ends, depths } of runs(file.track(), interval, { signal })) {
      for (let i = 0; i < begins.length; i++) {
        values.push({ start: begins[i] as number, end: ends[i] as number, value: rounded(depths[i] as number) });
      }
    }
    return { exact: true, values };
  }
  const intervals = bins(interval, parts);
  const { means } = await file.columns({ intervals, signal });
  for (const [i, { begin, end }] of intervals.entries()) {
    values.push({ start: begin, end, value: rounded(means[i] as number) });
  }
  return { exact: false, values };
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
