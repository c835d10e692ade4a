/** `GET /coverage/track`: depths along a stretch of a chromosome, for genome browsers. */
import { z } from 'zod';
import { Fault, type RouteDeclaration, route } from '../../../core/plugin.js';
import { fileWarnings } from '../domain/file-warnings.js';
import type { Warning } from '../domain/measure.js';
import { attachment } from '../exports/file-name.js';
import { sampleName } from '../recording.js';
import type { NamedSample } from '../registry/named.js';
import type { CoverageServices } from '../services.js';
import { defaultParts, exactBases, mostParts, type TrackDepths, trackDepths } from '../track/depths.js';
import { type Place, placeOf } from '../track/place.js';
import { checked, documented, failures, namesCoverageFile, text, whole } from './input.js';
import { warningSchema } from './interval-coverage.js';

const position = () => whole(0, 2 ** 32 - 1).optional();

const query = z.object({
  sample: z.string().min(1).max(200).optional().describe('The id of a registered sample.'),
  coverage_file_path: text().optional().meta(namesCoverageFile('Instead of `sample`: ')),
  region: text()
    .optional()
    .describe('`chr1:1000-2000`, first and last base, counted from 1; or a whole chromosome. With or without chr.'),
  chromosome: text().optional().describe('Instead of `region`, with start and end.'),
  start: position().describe('With `chromosome`: the first base, zero-based.'),
  end: position().describe('With `chromosome`: one past the last base, zero-based.'),
  bins: whole(1, mostParts)
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

interface Found extends TrackDepths {
  place: Place;
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
    query: documented(query),
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
      const { sample, coverage_file_path, bins = defaultParts, format, ...asked } = checked(query, input);
      const { path, track } = await fileOf(sample, coverage_file_path, named);
      const location = await sources.coverageFile(path, track);
      const found = await sources.use(location, async (file): Promise<Found> => {
        const place = placeOf(asked, file.track().chromosomes);
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
async function fileOf(
  sample: string | undefined,
  path: string | undefined,
  named: CoverageServices['named'],
): Promise<Pick<NamedSample, 'path' | 'track'>> {
  const wrong = (message: string) =>
    new Fault('unprocessable', `sample: ${message}`, { fields: [{ path: 'sample', message }] });
  if (sample === undefined) {
    if (path === undefined) throw wrong('Field required (or coverage_file_path)');
    return { path };
  }
  if (path !== undefined) throw wrong('takes the place of coverage_file_path; give one or the other');
  const found = (await named([sample])).get(sample);
  if (found === undefined) throw wrong('is not registered');
  return found;
}

function asJson({ place: { chromosome, start, end }, exact, values, warnings }: Found): z.output<typeof trackAnswer> {
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
function asBedGraph({ place: { chromosome }, values }: Found): string {
  return values.map(({ start, end, value }) => `${chromosome}\t${start}\t${end}\t${value}\n`).join('');
}
