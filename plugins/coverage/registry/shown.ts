/** A registered sample as responses and commands show it. */
import { z } from 'zod';
import { builds, type RegisteredSample, sampleLabels, sampleSexes, sampleStates } from '../contract.js';
import type { Warning } from '../domain/measure.js';
import type { SampleFacts } from './facts.js';

const labels = z.strictObject(
  Object.fromEntries(sampleLabels.map((label) => [label, z.string().optional()])) as Record<
    (typeof sampleLabels)[number],
    z.ZodOptional<z.ZodString>
  >,
);
const warning = z.object({ code: z.string(), message: z.string() });

const check = z.object({
  at: z.iso.datetime(),
  fingerprint: z.string().describe('Changes with the file.'),
  build: z.enum(builds),
  predicted_sex: z.enum(sampleSexes),
  x_coverage: z.number().describe('Mean depth of X outside the PARs.'),
  y_coverage: z.number().describe('Mean depth of Y outside the PARs.'),
  autosome_coverage: z.number().describe('Mean depth of evenly spread blocks of the autosomes.'),
  covered: z.record(z.string(), z.int()).describe('Threshold → bases with at least this depth.'),
  stored_bytes: z.int().describe('Bytes that the stored covered regions take.'),
});

export const shownSample = z
  .object({
    id: z.string(),
    state: z
      .enum(sampleStates)
      .describe(
        'pending: not checked yet; ready; failing: the file cannot be used; changed: the file is not the one that was checked.',
      ),
    reason: z.string().optional().describe('Why it is failing.'),
    build: z.enum(builds),
    coverage_file_path: z
      .string()
      .describe('As registered; the query of a URL, which may hold a signature, is cut off.'),
    track: z.string().optional(),
    case_id: z.string().optional(),
    sex: z.enum(sampleSexes).describe('As registered.'),
    analysis_date: z.string().optional(),
    labels,
    registered: z.iso.datetime(),
    updated: z.iso.datetime().describe('When what is stated of the sample last changed.'),
    check: check.optional().describe('The last successful check of the file.'),
    facts: z
      .object({
        case_id: z.string(),
        sex: z.enum(sampleSexes).describe('Declared, else predicted; unknown if statements contradict each other.'),
        labels,
        datasets: z.array(z.string()).describe('Datasets of the beacon with a sample of this id.'),
      })
      .describe('What holds, from the registration and from the beacon.'),
    warnings: z
      .array(warning)
      .describe('That other samples have the same file (same-file) is found only where a single sample is read.'),
  })
  .meta({ id: 'RegisteredSample' });

export type ShownSample = z.output<typeof shownSample>;

/** With `further` warnings, which are not stored. */
export function shownOf(sample: RegisteredSample, facts: SampleFacts, further: readonly Warning[] = []): ShownSample {
  const { id, state, reason, build, file, sex, analysed, registered, updated } = sample;
  return {
    id,
    state,
    ...(reason !== undefined && { reason }),
    build,
    coverage_file_path: withoutQuery(file.path),
    ...(file.track !== undefined && { track: file.track }),
    ...(sample.case !== undefined && { case_id: sample.case }),
    sex,
    ...(analysed !== undefined && { analysis_date: analysed }),
    labels: { ...sample.labels },
    registered: registered.toISOString(),
    updated: updated.toISOString(),
    ...(sample.check !== undefined && { check: checkShown(sample.check) }),
    facts: { case_id: facts.case, sex: facts.sex, labels: { ...facts.labels }, datasets: [...facts.datasets] },
    warnings: [...facts.warnings, ...(sample.check?.warnings ?? []), ...further].map(({ code, message }) => ({
      code,
      message,
    })),
  };
}

function checkShown(found: NonNullable<RegisteredSample['check']>): NonNullable<ShownSample['check']> {
  const rounded = (value: number) => Math.round(value * 10) / 10;
  return {
    at: found.at.toISOString(),
    fingerprint: found.fingerprint,
    build: found.build,
    predicted_sex: found.sex,
    x_coverage: rounded(found.depths.x),
    y_coverage: rounded(found.depths.y),
    autosome_coverage: rounded(found.depths.autosomes),
    covered: Object.fromEntries(found.thresholds.map((threshold, i) => [String(threshold), found.covered[i] ?? 0])),
    stored_bytes: found.bytes,
  };
}

/** A path has no query: only that of a URL is cut off. */
function withoutQuery(path: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(path) ? path.replace(/[?#].*$/s, '?…') : path;
}
