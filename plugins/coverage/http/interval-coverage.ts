/**
 * `POST /coverage/d4/interval/` (one interval, or a whole chromosome, of one file) and `POST /coverage/d4/interval_file/`
 * (every line of a BED file, in its order).
 */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { type BedLine, fileForm, multipartType } from '../../../core/files.js';
import { Fault, type RouteDeclaration, route } from '../../../core/plugin.js';
import { builds } from '../contract.js';
import { chromosomeIndex } from '../d4/index.js';
import type { Examination, ExamineQuestion } from '../measure/examine.js';
import type { Depths, Location, SampleDepths, Warning } from '../measure/measure.js';
import { type SampleRequest, warningsOfSample } from '../measure/quality.js';
import { type List, lazyList, mappedList, type Region } from '../measure/region.js';
import { bedLines } from '../report/form/bed-lines.js';
import { listText } from '../report/formats/json.js';
import { type NamedSample, withFiles } from '../samples/find.js';
import type { CoverageServices } from '../services.js';
import { sampleName } from './access/recording.js';
import {
  bedDescription,
  checkedInput,
  coverageFile,
  documentedSchema,
  failures,
  flag,
  formBytes,
  jsonAnswer,
  namesFile,
  sampleIdField,
  sentWithBed,
  textSchema,
  thresholds,
  uniqueFields,
  uniqueOf,
  wholeNumber,
} from './input.js';

const gap = z.object({ chromosome: z.string(), start: z.int(), end: z.int() });

export const warningSchema = z
  .object({ code: z.string(), message: z.string() })
  .meta({ id: 'CoverageWarning', description: 'A reason for care with the numbers.' });

const intervalCoverage = z
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
    unique_mean_coverage: z.number().optional().describe('By the file of unique reads, if one was given.'),
    unique_completeness: z.record(z.string(), z.number()).optional(),
    unique_bases_at: z.record(z.string(), z.int()).optional(),
    warnings: z.array(warningSchema),
  })
  .meta({ id: 'IntervalCoverage' });

/** The sample of a request for one: by its path, or registered. */
function onlyAsked(path: string, unique: string | null | undefined, known: NamedSample | undefined): SampleRequest {
  const { track, sex, registration } = known ?? {};
  return { name: 'this sample', path, track, sex, registration, ...uniqueOf(unique, known) };
}

/** The only sample of the request. Throws the fault of its file. */
function onlySample({ samples, notIncluded, quality }: Examination): {
  depths: SampleDepths;
  warnings: Warning[];
} {
  const [sample] = samples;
  if (sample === undefined) throw notIncluded[0]?.fault ?? new Fault('internal', 'One sample was asked for');
  return { depths: sample.depths, warnings: warningsOfSample(quality, sample.asked.name) };
}

interface IntervalLabels {
  id: string;
  name?: string | undefined;
}

function intervalAnswer(
  { id, name }: IntervalLabels,
  thresholds: readonly number[],
  depths: Depths,
  warnings: readonly Warning[],
  unique: Depths | undefined,
): z.output<typeof intervalCoverage> {
  const { length, mean, reached, min, max, median, gaps } = depths;
  const byThreshold = (value: (bases: number) => number, counts = reached) =>
    Object.fromEntries(thresholds.map((threshold, i) => [String(threshold), value(counts[i] ?? 0)]));
  const share = (bases: number) => (length === 0 ? 0 : bases / length);
  return {
    mean_coverage: mean,
    completeness: byThreshold(share),
    interval_id: id,
    interval_type: 'custom_intervals',
    ...(name === undefined ? {} : { name }),
    length,
    bases_at: byThreshold((bases) => bases),
    ...(min === undefined || max === undefined || median === undefined ? {} : { min, max, median }),
    ...(gaps === undefined ? {} : { gaps: gaps.map((one) => ({ ...one })) }),
    ...(unique && {
      unique_mean_coverage: unique.mean,
      unique_completeness: byThreshold(share, unique.reached),
      unique_bases_at: byThreshold((bases) => bases, unique.reached),
    }),
    warnings: warnings.map(({ code, message }) => ({ code, message })),
  };
}

/** `1:100-200`, without the prefix chr, which only some files have. */
export function intervalId({ chromosome, start, end }: { chromosome: string; start: number; end: number }): string {
  return `${chromosome.replace(/^chr/i, '')}:${start}-${end}`;
}

// `POST /coverage/d4/interval/`: one interval, or a whole chromosome, of one file.

const position = () => wholeNumber(0, 2 ** 32 - 1).nullish();

const commonFields = (most: number) => ({
  completeness_thresholds: thresholds(most).describe('Coverage thresholds (depths), in any order.'),
  build: z.enum(builds).nullish().describe('Genome build of the file; a file of another build is refused.'),
  gaps_below: wholeNumber(1, 2 ** 31 - 1)
    .nullish()
    .describe('Lists the regions below this depth as gaps.'),
  distribution: flag().describe(
    'Whether to return min, max and median; by default true, but false for a whole chromosome.',
  ),
});

export function intervalRoute(services: CoverageServices): RouteDeclaration {
  const { settings, forReports, recording } = services;
  const query = z.object({
    sample_id: sampleIdField(),
    coverage_file_path: coverageFile(),
    ...uniqueFields(),
    chromosome: textSchema().describe('With or without the prefix chr; M and MT are the same.'),
    start: position().describe('First base, zero-based. Without start and end: the whole chromosome.'),
    end: position().describe('One past the last base, zero-based.'),
    ...commonFields(settings.limits.thresholds),
  });
  return route({
    method: 'POST',
    path: '/coverage/d4/interval/',
    operation: 'intervalCoverage',
    summary: 'Coverage of an interval or a chromosome',
    body: { types: ['application/json'], schema: documentedSchema(query.partial({ coverage_file_path: true })) },
    answers: {
      200: jsonAnswer('The coverage of the interval.', intervalCoverage),
      ...failures,
    },
    async handle(request) {
      const { body, signal } = request;
      const { sources, examine, named } = await forReports(request.principal);
      const { fields, sample } = await withFiles(body, named);
      const asked = checkedInput(query, fields);
      const { start = null, end = null, chromosome } = asked;
      const location = await sources.coverageFile(asked.coverage_file_path, sample?.track);
      if ((start === null) !== (end === null)) throw halfAnInterval();
      const isWhole = start === null || end === null;
      const region = isWhole ? await wholeChromosome(sources, location, chromosome) : { chromosome, start, end };
      if (region.start >= region.end) throw noBases(region);
      const id = isWhole ? region.chromosome : intervalId(region);
      const examined = await examine({
        samples: [onlyAsked(asked.coverage_file_path, asked.unique_file_path, sample)],
        targets: [{ regions: [region] }],
        nameOf: () => id,
        thresholds: asked.completeness_thresholds,
        build: asked.build ?? sample?.build,
        distribution: asked.distribution ?? !isWhole,
        gapsBelow: asked.gaps_below ?? undefined,
        sexes: 'needed',
        signal,
      });
      const { depths, warnings } = onlySample(examined);
      const own = depths.targets.at(0);
      if (own === undefined) throw new Error('one target was asked for');
      const samples = [sampleName(asked.coverage_file_path, sample)];
      await recording.shown(request, { action: 'depth', what: 'interval', samples });
      return { body: intervalAnswer({ id }, examined.thresholds, own, warnings, depths.unique?.targets.at(0)) };
    },
  });
}

function wholeChromosome(
  sources: CoverageServices['sources'],
  location: Location,
  chromosome: string,
): Promise<Region> {
  return sources.use(location, async (file) => {
    const { chromosomes } = file.track();
    const own = chromosomes[chromosomeIndex(chromosomes, chromosome, true)];
    if (own === undefined || own.size === 0) {
      throw new Fault('unprocessable', `The coverage file has no chromosome ${chromosome.slice(0, 100)}`);
    }
    return { chromosome: own.name, start: 0, end: own.size };
  });
}

function halfAnInterval(): Fault {
  return new Fault('unprocessable', 'An interval needs both start and end, a whole chromosome neither');
}

function noBases({ start, end }: Region): Fault {
  const reason = start === end ? 'it ends where it starts' : 'it ends before it starts';
  return new Fault('unprocessable', `The interval ${start}-${end} has no bases: ${reason}`);
}

// `POST /coverage/d4/interval_file/`: every line of a BED file, in its order.

export function intervalFileRoute(services: CoverageServices): RouteDeclaration {
  const { settings, queue, forReports, recording } = services;
  const query = z.object({
    sample_id: sampleIdField(),
    coverage_file_path: coverageFile(),
    ...uniqueFields(),
    intervals_bed_path: textSchema()
      .nullish()
      .meta(namesFile('A BED file under a configured directory. Omit it if the file comes in a multipart form.')),
    ...commonFields(settings.limits.thresholds),
  });
  const described = query.partial({ coverage_file_path: true });
  return route({
    method: 'POST',
    path: '/coverage/d4/interval_file/',
    operation: 'intervalFileCoverage',
    class: 'report',
    summary: 'Coverage of the intervals of a BED file',
    description:
      'The BED file has three or more columns, and may have headers, comments and blank lines, and be gzipped. To ' +
      'upload it, send a multipart form with these fields and the file.',
    body: {
      types: ['application/json', multipartType],
      schema: documentedSchema(described),
      looks: { [multipartType]: fileForm(described, bedDescription) },
      form: { file: settings.limits.upload },
      streamLimit: settings.limits.upload + formBytes,
    },
    answers: {
      200: jsonAnswer('One result per line, in the order of the file.', z.array(intervalCoverage)),
      ...failures,
    },
    async handle(request) {
      const { sources, examine, named } = await forReports(request.principal);
      const sent = sentWithBed(request);
      const { fields, sample: known } = await withFiles(sent.fields, named);
      const asked = checkedInput(query, fields);
      await sources.coverageFile(asked.coverage_file_path, known?.track);
      const lines = await bedLines({ settings, sources }, sent.bed, asked.intervals_bed_path);
      const question: ExamineQuestion = {
        samples: [onlyAsked(asked.coverage_file_path, asked.unique_file_path, known)],
        targets: mappedList(lines, (line) => ({ regions: [line] })),
        nameOf: (i) => nameOfLine(lines.at(i) as BedLine),
        thresholds: asked.completeness_thresholds,
        build: asked.build ?? known?.build,
        distribution: asked.distribution ?? true,
        gapsBelow: asked.gaps_below ?? undefined,
        sexes: 'needed',
        signal: request.signal,
      };
      const examined = await queue.run(lines.length, () => examine(question), request.signal);
      const sample = onlySample(examined);
      refuseUnknown(lines, sample.depths);
      const samples = [sampleName(asked.coverage_file_path, known)];
      await recording.shown(request, { action: 'depth', what: 'interval_file', samples });
      const general = aboutTheFile(sample.warnings);
      const rowAt = (i: number) => {
        const [line, depths] = [lines.at(i), sample.depths.targets.at(i)];
        if (line === undefined || depths === undefined) throw new Error('every line is a target');
        const warnings = [...general, ...beyondEnd(depths)];
        const unique = sample.depths.unique?.targets.at(i);
        return intervalAnswer({ id: intervalId(line), name: line.name }, examined.thresholds, depths, warnings, unique);
      };
      return { type: 'application/json', body: jsonList(lines.length, rowAt) };
    },
  });
}

/** Lines that a message names; it counts the others. */
const mostNamed = 5;

/** Refuses lines without a single base in the file: a mean of 0 would look like a result. */
function refuseUnknown(lines: List<BedLine>, { targets }: SampleDepths): void {
  const named: string[] = [];
  let [place, count] = [0, 0];
  for (const { measured } of targets) {
    if (measured === 0 && ++count <= mostNamed) {
      const { line, ...region } = lines.at(place) as BedLine;
      named.push(`line ${line} (${intervalId(region)})`);
    }
    place += 1;
  }
  if (count === 0) return;
  const more = count > named.length ? ` and ${count - named.length} more` : '';
  throw new Fault(
    'unprocessable',
    `The coverage file lacks the chromosome, or it ends earlier: ${named.join(', ')}${more} of the BED file`,
  );
}

function nameOfLine(line: BedLine): string {
  return line.name ?? intervalId(line);
}

/** The warnings that concern the file rather than a line. */
function aboutTheFile(warnings: readonly Warning[]): Warning[] {
  return warnings.filter(({ code }) => code !== 'beyond-end' && code !== 'missing-chromosome');
}

function beyondEnd({ length, measured }: Depths): Warning[] {
  if (measured === length) return [];
  const message = `${length - measured} bases are beyond the end of the chromosome: no depths in the file, counted as 0.`;
  return [{ code: 'beyond-end', message }];
}

// Long lists as response bodies.

/** Rows that are sent as a stream if there are more. */
const most = 1000;

/**
 * A list of rows: up to a thousand as an array, more as a stream of JSON. The whole text could be longer than the longest
 * string of JavaScript.
 */
export function jsonList<Row>(count: number, rowAt: (i: number) => Row): Row[] | Readable {
  const rows = lazyList(count, rowAt);
  return count <= most ? [...rows] : Readable.from(listText(rows), { objectMode: false });
}
