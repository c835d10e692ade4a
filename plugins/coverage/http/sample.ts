/**
 * What programs ask of one sample: `GET /coverage/track`, depths along a stretch of a chromosome for genome browsers (exact if
 * it is short, else means of parts), and `GET /coverage/samples/predicted_sex`.
 */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import { builds, sampleSexes } from '../contract.js';
import { bins, chromosomeIndex, type D4Chromosome, type D4File, runs } from '../d4/index.js';
import { fileWarnings, type Warning } from '../measure/measure.js';
import type { Region } from '../measure/region.js';
import { contradicts } from '../measure/sex.js';
import { fieldFault } from '../report/form/fields.js';
import { attachment } from '../report/formats/format.js';
import { type NamedSample, withFiles } from '../samples/find.js';
import type { CoverageServices } from '../services.js';
import { sampleName } from './access/recording.js';
import {
  checkedInput,
  coverageFile,
  documentedSchema,
  failures,
  jsonAnswer,
  namesCoverageFile,
  sampleIdField,
  textSchema,
  wholeNumber,
} from './input.js';
import { warningSchema } from './interval-coverage.js';

// Depths along a stretch of a chromosome, as a genome browser draws them: exact if it is short, else means of parts.

/** Bases of a stretch whose depths are returned one by one. */
const exactBases = 2000;
/** Parts of a longer stretch, if the request names no number, and at most. */
const defaultParts = 1000;
const mostParts = 4000;

/** A part of the stretch, zero-based half-open. */
interface TrackValue {
  start: number;
  end: number;
  /** The depth of every base, or their mean; to four decimals. */
  value: number;
}

interface TrackDepths {
  /** Whether each value is the depth of every base of its part. */
  exact: boolean;
  values: TrackValue[];
}

/** At most `exactBases` values if the stretch is as short, else at most `parts`. The values cover the stretch without a gap. */
async function trackDepths(
  file: D4File,
  { own, start, end }: TrackRegion,
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

const position = () => wholeNumber(0, 2 ** 32 - 1).optional();

const trackQuery = z.object({
  sample: z.string().min(1).max(200).optional().describe('The id of a registered sample.'),
  coverage_file_path: textSchema().optional().meta(namesCoverageFile('Instead of `sample`: ')),
  region: textSchema()
    .optional()
    .describe('`chr1:1000-2000`, first and last base, counted from 1; or a whole chromosome. With or without chr.'),
  chromosome: textSchema().optional().describe('Instead of `region`, with start and end.'),
  start: position().describe('With `chromosome`: the first base, zero-based.'),
  end: position().describe('With `chromosome`: one past the last base, zero-based.'),
  bins: wholeNumber(1, mostParts)
    .optional()
    .describe(`Number of values of a region of more than ${exactBases} bases; ${defaultParts} if omitted.`),
  format: z.enum(['bedgraph', 'json']).optional().describe('bedgraph if omitted.'),
});

const trackAnswer = z
  .object({
    chromosome: z.string().describe('As the request names it.'),
    start: z.int().describe('Zero-based.'),
    end: z.int().describe('One past the last base; at most the end of the chromosome.'),
    exact: z.boolean().describe('Whether each value is the depth of every base of its part; else it is their mean.'),
    values: z.array(z.object({ chr: z.string(), start: z.int(), end: z.int(), value: z.number() })),
    warnings: z.array(warningSchema),
  })
  .meta({ id: 'CoverageTrack' });

interface TrackAnswer extends TrackDepths {
  place: TrackRegion;
  warnings: Warning[];
}

export function trackRoute({ forReports, recording }: CoverageServices): RouteDeclaration {
  return route({
    method: 'GET',
    path: '/coverage/track',
    operation: 'coverageTrack',
    summary: 'Depths along a region, for genome browsers',
    description:
      `A region of at most ${exactBases} bases is returned exactly, as runs of equal depth. A longer one is divided into ` +
      'parts of nearly equal length, with the mean depth of each. A region that reaches beyond the end of its chromosome ' +
      'is cut there.',
    query: documentedSchema(trackQuery),
    answers: {
      200: {
        description: 'The depths, as bedGraph or JSON.',
        content: { 'text/plain': z.string(), 'application/json': trackAnswer },
      },
      ...failures,
    },
    async handle(request) {
      const { input, signal } = request;
      const { sources, named } = await forReports(request.principal);
      const { sample, coverage_file_path, bins = defaultParts, format, ...asked } = checkedInput(trackQuery, input);
      const { path, track } = await fileOfRequest(sample, coverage_file_path, named);
      const location = await sources.coverageFile(path, track);
      const found = await sources.use(location, async (file): Promise<TrackAnswer> => {
        const place = regionOfQuery(asked, file.track().chromosomes);
        return { place, ...(await trackDepths(file, place, bins, signal)), warnings: fileWarnings(file) };
      });
      await recording.shown(request, {
        action: 'depth',
        what: 'track',
        samples: [sample ?? sampleName(path, undefined)],
      });
      if (format === 'json') return { body: asJson(found) };
      const { chromosome, start, end } = found.place;
      const name = `${[sample ?? 'depth', chromosome, start + 1, end].join('_').replace(/[^\p{L}\p{N}._+-]+/gu, '-')}.bedgraph`;
      return {
        type: 'text/plain; charset=utf-8',
        headers: { 'Content-Disposition': attachment(name) },
        body: asBedGraph(found),
      };
    },
  });
}

/** The file that the request names. Throws an `unprocessable` fault unless it names one in one way. */
async function fileOfRequest(
  sample: string | undefined,
  path: string | undefined,
  named: CoverageServices['named'],
): Promise<Pick<NamedSample, 'path' | 'track'>> {
  if (sample === undefined) {
    if (path === undefined) throw fieldFault('sample', 'Field required (or coverage_file_path)');
    return { path };
  }
  if (path !== undefined) throw fieldFault('sample', 'takes the place of coverage_file_path; give one or the other');
  const found = (await named([sample])).get(sample);
  if (found === undefined) throw fieldFault('sample', 'is not registered');
  return found;
}

function asJson({
  place: { chromosome, start, end },
  exact,
  values,
  warnings,
}: TrackAnswer): z.output<typeof trackAnswer> {
  return {
    chromosome,
    start,
    end,
    exact,
    values: values.map((one) => ({ chr: chromosome, ...one })),
    warnings: warnings.map(({ code, message }) => ({ code, message })),
  };
}

/** Without a track line: viewers name the track after the file or by their own configuration. */
function asBedGraph({ place: { chromosome }, values }: TrackAnswer): string {
  return values.map(({ start, end, value }) => `${chromosome}\t${start}\t${end}\t${value}\n`).join('');
}

// The stretch of a chromosome that a genome browser asks for.

/** As the request writes it. */
interface TrackQuery {
  /** `chr1:1000-2000`, first and last base from 1, or a chromosome. */
  region?: string | undefined;
  chromosome?: string | undefined;
  /** Zero-based half-open. */
  start?: number | undefined;
  end?: number | undefined;
}

/** A stretch inside its chromosome, zero-based half-open. */
interface TrackRegion extends Region {
  /** The name of the chromosome in the file; `chromosome` is that of the request. */
  own: string;
}

/** Throws an `unprocessable` fault that names the parameter. */
function regionOfQuery(asked: TrackQuery, chromosomes: readonly D4Chromosome[]): TrackRegion {
  const { chromosome, start, end } = asked.region === undefined ? byParts(asked) : parseRegion(asked, chromosomes);
  const field = asked.region === undefined ? 'chromosome' : 'region';
  const found = chromosomes[chromosomeIndex(chromosomes, chromosome, true)];
  if (found === undefined) throw fieldFault(field, `the coverage file has no chromosome ${chromosome.slice(0, 100)}`);
  const from = start ?? 0;
  const to = Math.min(end ?? found.size, found.size);
  if (from >= found.size && found.size > 0) {
    throw fieldFault(asked.region === undefined ? 'start' : 'region', `chromosome ${chromosome} ends at ${found.size}`);
  }
  if (from >= to) throw fieldFault(asked.region === undefined ? 'end' : 'region', 'has no bases');
  return { chromosome, start: from, end: to, own: found.name };
}

function byParts({ chromosome, start, end }: TrackQuery): Omit<TrackQuery, 'region'> & { chromosome: string } {
  if (chromosome === undefined) {
    throw fieldFault('region', 'Field required, such as chr1:1000-2000 (or chromosome, start and end)');
  }
  return { chromosome, start, end };
}

/** Digits, also in groups of three. */
const digits = '\\d+|\\d{1,3}(?:,\\d{3})+';
const regionForm = new RegExp(`^(.+):(${digits})-(${digits})$`);

/** A name may contain colons: a chromosome of exactly this name wins. */
function parseRegion({ region = '', ...others }: TrackQuery, chromosomes: readonly D4Chromosome[]) {
  if (Object.values(others).some((value) => value !== undefined)) {
    throw fieldFault('region', 'takes the place of chromosome, start and end; give one or the other');
  }
  if (chromosomeIndex(chromosomes, region, true) >= 0) return { chromosome: region };
  const [, chromosome, first, last] = regionForm.exec(region.trim()) ?? [];
  if (chromosome === undefined) {
    if (!region.includes(':')) return { chromosome: region };
    throw fieldFault('region', 'must be a chromosome, or chr1:1000-2000 with its first and last base, counted from 1');
  }
  const [from, to] = [first, last].map((digits) => Number(digits?.replaceAll(',', ''))) as [number, number];
  if (from < 1 || to < from || !Number.isSafeInteger(to)) {
    throw fieldFault('region', 'needs a first base from 1, and a last base that is not before it');
  }
  return { chromosome, start: from - 1, end: to };
}

// `GET /coverage/samples/predicted_sex`.

const sexQuery = z.object({
  sample_id: sampleIdField(),
  coverage_file_path: coverageFile(),
  build: z
    .enum(builds)
    .optional()
    .describe('Genome build, whose PARs are excluded; detected from the chromosome lengths if omitted.'),
  declared_sex: z.enum(sampleSexes).optional().describe('The sex that is expected.'),
});

const predictedSex = z
  .object({
    x_coverage: z.number().describe('Mean depth of X outside the PARs, to one decimal.'),
    y_coverage: z.number().describe('Mean depth of Y outside the PARs, to one decimal.'),
    predicted_sex: z.enum(['female', 'male', 'unknown']),
    autosome_coverage: z.number().describe('Mean depth of evenly spread blocks of the autosomes, to one decimal.'),
    x_ratio: z.number().nullable().describe('Depth of X relative to the autosomes: about 1 for XX, 0.5 for XY.'),
    y_ratio: z.number().nullable().describe('Depth of Y relative to the autosomes: about 0 for XX, 0.5 for XY.'),
    build: z.enum(builds).nullable().describe('The build whose PARs were excluded.'),
    declared_sex: z.enum(sampleSexes).optional(),
    sex_mismatch: z.boolean().optional().describe('Whether the predicted sex contradicts the declared one.'),
    warnings: z.array(warningSchema),
  })
  .meta({ id: 'PredictedSex' });

export function predictedSexRoute({ predictSex, forReports, recording }: CoverageServices): RouteDeclaration {
  return route({
    method: 'GET',
    path: '/coverage/samples/predicted_sex',
    operation: 'predictedSex',
    summary: 'Predicts the sex of a sample from the depths of X and Y',
    query: documentedSchema(sexQuery.partial({ coverage_file_path: true })),
    answers: {
      200: jsonAnswer('The predicted sex, with the depths behind it.', predictedSex),
      ...failures,
    },
    async handle(request) {
      const { input, signal } = request;
      const { sources, named } = await forReports(request.principal);
      const { fields, sample: known } = await withFiles(input, named);
      const asked = checkedInput(sexQuery, fields);
      const { build = known?.build, declared_sex = known?.sex } = asked;
      const location = await sources.coverageFile(asked.coverage_file_path, known?.track);
      const sample = { name: 'this sample', location };
      const found = await predictSex(sample, { build, signal });
      const samples = [sampleName(asked.coverage_file_path, known)];
      await recording.shown(request, { action: 'depth', what: 'sex', samples });
      const rounded = (value: number, decimals: number) => Math.round(value * 10 ** decimals) / 10 ** decimals;
      const ratio = (value: number | undefined) => (value === undefined ? null : rounded(value, 4));
      return {
        body: {
          x_coverage: rounded(found.xCoverage, 1),
          y_coverage: rounded(found.yCoverage, 1),
          predicted_sex: found.sex,
          autosome_coverage: rounded(found.autosomeCoverage, 1),
          x_ratio: ratio(found.xRatio),
          y_ratio: ratio(found.yRatio),
          build: found.build ?? null,
          ...(declared_sex === undefined ? {} : { declared_sex, sex_mismatch: contradicts(found.sex, declared_sex) }),
          warnings: found.warnings.map(({ code, message }) => ({ code, message })),
        },
      };
    },
  });
}
