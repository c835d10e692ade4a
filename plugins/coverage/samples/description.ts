/**
 * What is stated of a registered sample: as operators and clients write it (the same names in commands, sheets and JSON), and
 * as responses and commands show it.
 */
import { z } from 'zod';
import { naming } from '../../../core/files.js';
import { isIntact } from '../../../core/plugin.js';
import {
  builds,
  type RegisteredSample,
  type SampleDescription,
  type SampleLabel,
  sampleLabels,
  sampleSexes,
  sampleStates,
} from '../contract.js';
import type { Warning } from '../measure/measure.js';
import { sexNamed } from '../measure/sex.js';
import type { KnownFacts } from './find.js';

const most = 200;
const longestPath = 4096;

const line = (longest = most) =>
  z
    .string({ error: 'must be text' })
    .trim()
    .min(1, 'must not be empty')
    .max(longest, `must have no more than ${longest} characters`)
    .regex(/^\P{Cc}*$/u, 'must be one line without control characters')
    .refine(isIntact, 'has bytes that are not UTF-8');

/** The id of a sample; see `SampleDescription.id`. */
export const sampleId = line().regex(
  /^[\u0020-\ud7ff]*$/,
  'must have no characters beyond U+D7FF, such as pictographs',
);

const labelMeanings: Readonly<Record<SampleLabel, string>> = {
  assay: 'The assay, such as WES: coverage is compared within an assay.',
  run: 'The sequencing run.',
  kit: 'The capture kit and its version.',
  pipeline: 'The pipeline and its version.',
  mapq: 'The mapping-quality filter with which the depths were computed, such as 20.',
  group: 'Any group that the laboratory compares.',
};

const labels = Object.fromEntries(
  sampleLabels.map((label) => [label, line().optional().describe(labelMeanings[label])]),
) as Record<SampleLabel, z.ZodOptional<ReturnType<typeof line>>>;

const oneOf = <const Choices extends readonly [string, ...string[]]>(choices: Choices) =>
  z.enum(choices, { error: `must be one of ${choices.join(', ')}` });

const stated = {
  coverage_file_path: line(longestPath).meta(
    naming(
      ['path', 'url', 'object'],
      'The D4 file: a path under a configured directory, or an http(s) URL on a configured host.',
    ),
  ),
  track: line().optional().describe('The track of the file by its name; the first one if omitted.'),
  build: oneOf(builds).describe('The genome build of the file.'),
  case_id: line().optional().describe('The case (family) that the sample belongs to.'),
  sex: oneOf(sampleSexes).optional().describe('The declared sex; unknown if omitted.'),
  analysis_date: z
    .string({ error: 'must be text' })
    .trim()
    .refine((text) => z.iso.date().safeParse(text).success, 'must be a date such as 2026-04-23')
    .optional()
    .describe('Date of the analysis, such as 2026-04-23.'),
};

/** The second file, by the name that a sheet or JSON has for it. */
const uniqueIn = <Name extends string>(name: Name) => {
  const range = 'must be a whole number from 1 to 255';
  const file = line(longestPath)
    .optional()
    .meta(
      naming(
        ['path', 'url', 'object'],
        'A second D4 file, with the depths of those reads of the first that map uniquely: reports state percentages by both.',
      ),
    );
  const quality = z.coerce.number(range).int(range).min(1, range).max(255, range).optional();
  return {
    ...({ [name]: file } as Record<Name, typeof file>),
    unique_mapping_quality: quality.describe(`The least mapping quality of the reads of ${name}, which needs it.`),
  };
};

/** One is not stated without the other. */
const isWhole =
  (name: string) =>
  (given: Readonly<Record<string, unknown>>): boolean =>
    (given[name] === undefined) === (given.unique_mapping_quality === undefined);
const half = {
  path: ['unique_mapping_quality'],
  error: 'must be given with the file of unique reads, and not without',
};

/** As JSON, for `PUT`. */
export const statedAsJson = z
  .strictObject({
    ...stated,
    ...uniqueIn('unique_file_path'),
    labels: z.strictObject(labels).optional().describe('How the sample was analysed.'),
  })
  .refine(isWhole('unique_file_path'), half);

const cells = z.strictObject({ sample: sampleId, ...stated, ...uniqueIn('unique_coverage_file'), ...labels });
const wholeCells = cells.refine(isWhole('unique_coverage_file'), half);

/** The columns of a sheet; `sample`, `coverage_file_path` and `build` are required. */
export const sheetColumns = Object.keys(cells.shape) as readonly SheetColumn[];
type SheetColumn = keyof typeof cells.shape;
export const requiredColumns: readonly SheetColumn[] = ['sample', 'coverage_file_path', 'build'];

export function descriptionOfWords(id: string, words: z.output<typeof statedAsJson>): SampleDescription {
  const { coverage_file_path: path, track, build, case_id, sex, analysis_date, labels: given = {} } = words;
  const { unique_file_path: unique, unique_mapping_quality: quality } = words;
  return {
    id,
    build,
    file: { path, ...(track !== undefined && { track }) },
    ...(unique !== undefined && quality !== undefined && { unique: { path: unique, quality } }),
    ...(case_id !== undefined && { case: case_id }),
    sex: sex ?? 'unknown',
    ...(analysis_date !== undefined && { analysed: analysis_date }),
    labels: Object.fromEntries(
      sampleLabels.flatMap((label) => (given[label] === undefined ? [] : [[label, given[label]]])),
    ),
  };
}

/** The description in one row of a sheet, of which the sex may be written as in PED files, or what is wrong with each of its fields. */
export function readCells(
  row: Readonly<Record<string, unknown>>,
): { description: SampleDescription } | { wrong: { field: string; reason: string }[] } {
  const named = typeof row.sex === 'string' || typeof row.sex === 'number' ? sexNamed(String(row.sex)) : undefined;
  const result = wholeCells.safeParse(named ? { ...row, sex: named } : row);
  if (!result.success) {
    return {
      wrong: result.error.issues.flatMap((issue) => {
        const [field = ''] = issue.path;
        const given = Object.hasOwn(row, field) ? row[String(field)] : undefined;
        if (issue.code === 'unrecognized_keys') {
          return issue.keys.map((key) => ({ field: key, reason: `is none of ${sheetColumns.join(', ')}` }));
        }
        const reason = given === undefined ? 'is missing' : `${issue.message}; got ${quotedValue(given)}`;
        return [{ field: String(field), reason }];
      }),
    };
  }
  const { sample, coverage_file_path, track, build, case_id, sex, analysis_date, ...rest } = result.data;
  const { unique_coverage_file: unique_file_path, unique_mapping_quality, ...given } = rest;
  const ofUnique = { unique_file_path, unique_mapping_quality };
  const words = { coverage_file_path, track, build, case_id, sex, analysis_date, ...ofUnique, labels: given };
  return { description: descriptionOfWords(sample, words) };
}

function quotedValue(value: unknown): string {
  return typeof value === 'string' ? `"${value.slice(0, 40)}"` : typeof value;
}

// A registered sample as responses and commands show it.

const labelsAnswer = z.strictObject(
  Object.fromEntries(sampleLabels.map((label) => [label, z.string().optional()])) as Record<
    (typeof sampleLabels)[number],
    z.ZodOptional<z.ZodString>
  >,
);
const warning = z.object({ code: z.string(), message: z.string() });

const check = z.object({
  at: z.iso.datetime(),
  fingerprint: z.string().describe('Changes with the file.'),
  unique_fingerprint: z.string().optional().describe('Of unique_file_path.'),
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
    unique_file_path: z.string().optional().describe('Like coverage_file_path.'),
    unique_mapping_quality: z.int().optional(),
    case_id: z.string().optional(),
    sex: z.enum(sampleSexes).describe('As registered.'),
    analysis_date: z.string().optional(),
    labels: labelsAnswer,
    registered: z.iso.datetime(),
    updated: z.iso.datetime().describe('When what is stated of the sample last changed.'),
    check: check.optional().describe('The last successful check of the file.'),
    facts: z
      .object({
        case_id: z.string(),
        sex: z.enum(sampleSexes).describe('Declared, else predicted; unknown if statements contradict each other.'),
        labels: labelsAnswer,
        datasets: z.array(z.string()).describe('Datasets of the beacon with a sample of this id.'),
      })
      .describe('What holds, from the registration and from the beacon.'),
    warnings: z
      .array(warning)
      .describe('That other samples have the same file (same-file) is found only where a single sample is read.'),
  })
  .meta({ id: 'RegisteredSample' });

type SampleAnswer = z.output<typeof shownSample>;

/** With `further` warnings, which are not stored. */
export function sampleAnswer(
  sample: RegisteredSample,
  facts: KnownFacts,
  further: readonly Warning[] = [],
): SampleAnswer {
  const { id, state, reason, build, file, unique, sex, analysed, registered, updated } = sample;
  return {
    id,
    state,
    ...(reason !== undefined && { reason }),
    build,
    coverage_file_path: withoutQuery(file.path),
    ...(file.track !== undefined && { track: file.track }),
    ...(unique && { unique_file_path: withoutQuery(unique.path), unique_mapping_quality: unique.quality }),
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

function checkShown(found: NonNullable<RegisteredSample['check']>): NonNullable<SampleAnswer['check']> {
  const rounded = (value: number) => Math.round(value * 10) / 10;
  return {
    at: found.at.toISOString(),
    fingerprint: found.fingerprint,
    ...(found.uniqueFingerprint !== undefined && { unique_fingerprint: found.uniqueFingerprint }),
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
