/** One measured interval, as the interval endpoints return it. */
import { z } from 'zod';
import { Fault } from '../../../core/plugin.js';
import type { Examination } from '../domain/examine.js';
import type { Depths, SampleDepths, Warning } from '../domain/measure.js';
import { warningsOf } from '../domain/quality.js';
import type { AskedSample } from '../domain/sample.js';
import type { NamedSample } from '../registry/named.js';

const gap = z.object({ chromosome: z.string(), start: z.int(), end: z.int() });

export const warningSchema = z
  .object({ code: z.string(), message: z.string() })
  .meta({ id: 'CoverageWarning', description: 'A reason for care with the numbers.' });

export const intervalCoverage = z
  .object({
    mean_coverage: z.number().describe('Mean depth, not rounded.'),
    completeness: z
      .record(z.string(), z.number())
      .describe('Threshold → fraction of bases at or above it, not rounded.'),
    interval_id: z.string().describe("`1:100-200` without prefix, or the chromosome's name in the file."),
    interval_type: z.literal('custom_intervals'),
    name: z.string().optional().describe('From the fourth column of the BED file.'),
    length: z.int().describe('Bases.'),
    bases_at: z.record(z.string(), z.int()).describe('Threshold → bases at or above it.'),
    min: z.number().optional(),
    max: z.number().optional(),
    median: z.number().optional(),
    gaps: z.array(gap).optional().describe('Regions below `gaps_below`, zero-based half-open.'),
    warnings: z.array(warningSchema),
  })
  .meta({ id: 'IntervalCoverage' });

/** The sample of a request for one: by its path, or registered. */
export function onlyAsked(path: string, { track, sex, registration }: Partial<NamedSample> = {}): AskedSample {
  return { name: 'this sample', path, track, sex, registration };
}

/** The only sample of the request. Throws the fault of its file. */
export function onlySample({ samples, notIncluded, quality }: Examination): {
  depths: SampleDepths;
  warnings: Warning[];
} {
  const [sample] = samples;
  if (sample === undefined) throw notIncluded[0]?.fault ?? new Fault('internal', 'One sample was asked for');
  return { depths: sample.depths, warnings: warningsOf(quality, sample.asked.name) };
}

export interface Labels {
  id: string;
  name?: string | undefined;
}

export function intervalAnswer(
  { id, name }: Labels,
  thresholds: readonly number[],
  depths: Depths,
  warnings: readonly Warning[],
): z.output<typeof intervalCoverage> {
  const { length, mean, reached, min, max, median, gaps } = depths;
  const byThreshold = (value: (bases: number) => number) =>
    Object.fromEntries(thresholds.map((threshold, i) => [String(threshold), value(reached[i] ?? 0)]));
  return {
    mean_coverage: mean,
    completeness: byThreshold((bases) => (length === 0 ? 0 : bases / length)),
    interval_id: id,
    interval_type: 'custom_intervals',
    ...(name === undefined ? {} : { name }),
    length,
    bases_at: byThreshold((bases) => bases),
    ...(min === undefined || max === undefined || median === undefined ? {} : { min, max, median }),
    ...(gaps === undefined ? {} : { gaps: gaps.map((one) => ({ ...one })) }),
    warnings: warnings.map(({ code, message }) => ({ code, message })),
  };
}

/** `1:100-200`, without the prefix chr, which only some files have. */
export function intervalId({ chromosome, start, end }: { chromosome: string; start: number; end: number }): string {
  return `${chromosome.replace(/^chr/i, '')}:${start}-${end}`;
}
