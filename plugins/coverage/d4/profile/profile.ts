/** Depths along an interval: base by base, as runs of equal depth, or as regions below or above a threshold. */
import { Clock } from '../clock.js';
import { D4Error } from '../error.js';
import { type Interval, type Located, locate } from '../interval.js';
import { type KernelName, kernel } from '../kernel/choose.js';
import { findChromosome } from '../names.js';
import type { DepthTest } from '../statistics/seek.js';
import { storedThreshold } from '../statistics/statistics.js';
import type { Track } from '../track.js';
import type { RunBatch, RunBuilder } from './runs.js';
import { type Walk, walkRuns, walkValues } from './values.js';

export interface ProfileOptions {
  /** Accept chr1 for 1, M for MT and so on. */
  alias?: boolean | undefined;
  signal?: AbortSignal | undefined;
  kernel?: KernelName | undefined;
}

/** Most bases whose depths are returned as one array: 256 MiB. */
const maxValues = 2 ** 25;

function walkOf(track: Track, interval: Interval, options: ProfileOptions): Walk {
  const { source, chromosomes } = track;
  const ordinal = findChromosome(chromosomes, interval.chromosome, { alias: options.alias, place: source.name });
  const located: Located = locate(interval, ordinal, chromosomes[ordinal]?.size ?? 0);
  const { signal } = options;
  return { track, located, kernel: kernel(options.kernel), clock: new Clock(signal), signal };
}

/**
 * The depth of every base of an interval inside its chromosome. Throws D4Error `invalid` for more than 2^25 bases: use runs or
 * the means of parts instead.
 */
export async function depths(track: Track, interval: Interval, options: ProfileOptions = {}): Promise<Float64Array> {
  const walk = walkOf(track, interval, options);
  const { begin, end } = walk.located;
  if (end - begin > maxValues) {
    throw new D4Error('invalid', `More than ${maxValues} bases at once`, `${interval.chromosome}:${begin}-${end}`);
  }
  const found = new Float64Array(end - begin);
  for await (const chunk of walkValues(walk)) {
    const at = chunk.begin - begin;
    for (let i = 0; i < chunk.values.length; i++) found[at + i] = (chunk.values[i] as number) / track.denominator;
  }
  return found;
}

/** Runs of equal depth in an interval, as long as possible, in batches. */
export async function* runs(track: Track, interval: Interval, options: ProfileOptions = {}): AsyncGenerator<RunBatch> {
  let last: RunBuilder | undefined;
  for await (const builder of walkRuns(walkOf(track, interval, options))) {
    last = builder;
    const batch = builder.take(interval.chromosome, track.denominator, false);
    if (batch.begins.length > 0) yield batch;
  }
  if (last) yield last.take(interval.chromosome, track.denominator, true);
}

/** Regions of an interval in which every base passes a test, as long as possible. */
export async function* stretches(
  track: Track,
  interval: Interval,
  test: DepthTest,
  options: ProfileOptions & { minLength?: number | undefined } = {},
): AsyncGenerator<Interval> {
  const { minLength = 1 } = options;
  const below = 'below' in test;
  const depth = below ? test.below : test.atLeast;
  if (Number.isNaN(depth)) throw new D4Error('invalid', 'A threshold must be a number', interval.chromosome);
  const threshold = storedThreshold(depth, track.denominator);
  const { chromosome } = interval;
  let begin = -1;
  let end = -1;
  for await (const builder of walkRuns(walkOf(track, interval, options))) {
    for (let i = 0; i < builder.length; i++) {
      if ((builder.values[i] as number) < threshold !== below) continue;
      const from = builder.begins[i] as number;
      if (from !== end) {
        if (end - begin >= minLength && end > begin) yield { chromosome, begin, end };
        begin = from;
      }
      end = builder.ends[i] as number;
    }
    builder.length = 0;
  }
  if (end - begin >= minLength && end > begin) yield { chromosome, begin, end };
}

/** Cuts an interval into `count` parts of nearly equal length, in whole bases, for a profile; fewer if it is shorter. */
export function bins({ chromosome, begin, end }: Interval, count: number): Interval[] {
  const parts = Math.min(count, end - begin);
  const edge = (i: number) => begin + Math.floor(((end - begin) * i) / parts);
  return Array.from({ length: Math.max(0, parts) }, (_, i) => ({ chromosome, begin: edge(i), end: edge(i + 1) }));
}
