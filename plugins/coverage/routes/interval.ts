/** `POST /coverage/d4/interval/`: one interval, or a whole chromosome, of one file. */
import { z } from 'zod';
import { Fault, type RouteDeclaration, route } from '../../../core/plugin.js';
import { builds } from '../contract.js';
import { chromosomeIndex } from '../d4/names.js';
import type { Location } from '../domain/location.js';
import type { Region } from '../domain/region.js';
import { sampleName } from '../recording.js';
import { withFiles } from '../registry/named.js';
import type { CoverageServices } from '../services.js';
import { checked, coverageFile, documented, failures, flag, sampleIdField, text, thresholds, whole } from './input.js';
import { intervalAnswer, intervalCoverage, intervalId, onlyAsked, onlySample } from './interval-coverage.js';

const position = () => whole(0, 2 ** 32 - 1).nullish();

export const commonFields = (most: number) => ({
  completeness_thresholds: thresholds(most).describe('Coverage thresholds (depths), in any order.'),
  build: z.enum(builds).nullish().describe('Genome build of the file; a file of another build is refused.'),
  gaps_below: whole(1, 2 ** 31 - 1)
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
    chromosome: text().describe('With or without the prefix chr; M and MT are the same.'),
    start: position().describe('First base, zero-based. Without start and end: the whole chromosome.'),
    end: position().describe('One past the last base, zero-based.'),
    ...commonFields(settings.limits.thresholds),
  });
  return route({
    method: 'POST',
    path: '/coverage/d4/interval/',
    operation: 'intervalCoverage',
    summary: 'Coverage of an interval or a chromosome',
    body: { types: ['application/json'], schema: documented(query.partial({ coverage_file_path: true })) },
    answers: {
      200: { description: 'The coverage of the interval.', content: { 'application/json': intervalCoverage } },
      ...failures,
    },
    async handle(request) {
      const { body, signal } = request;
      const { sources, examine, named } = await forReports(request.principal);
      const { fields, sample } = await withFiles(body, named);
      const asked = checked(query, fields);
      const { start = null, end = null, chromosome } = asked;
      const location = await sources.coverageFile(asked.coverage_file_path, sample?.track);
      if ((start === null) !== (end === null)) throw halfAnInterval();
      const isWhole = start === null || end === null;
      const region = isWhole ? await wholeChromosome(sources, location, chromosome) : { chromosome, start, end };
      if (region.start >= region.end) throw noBases(region);
      const id = isWhole ? region.chromosome : intervalId(region);
      const examined = await examine({
        samples: [onlyAsked(asked.coverage_file_path, sample)],
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
      return { body: intervalAnswer({ id }, examined.thresholds, own, warnings) };
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
