/** `POST /coverage/d4/interval_file/`: every line of a BED file, in its order. */
import { z } from 'zod';
import { type BedLine, fileForm, multipartType } from '../../../core/files.js';
import { Fault, type RouteDeclaration, route } from '../../../core/plugin.js';
import type { ExamineQuestion } from '../domain/examine.js';
import { type List, mapped } from '../domain/list.js';
import type { Depths, SampleDepths, Warning } from '../domain/measure.js';
import { sampleName } from '../recording.js';
import { withFiles } from '../registry/named.js';
import type { CoverageServices } from '../services.js';
import { bedLines } from '../sources/bed-lines.js';
import { bedDescription, formBytes, sentWithBed } from './bed-form.js';
import { checked, coverageFile, documented, failures, namesFile, sampleIdField, text } from './input.js';
import { commonFields } from './interval.js';
import { intervalAnswer, intervalCoverage, intervalId, onlyAsked, onlySample } from './interval-coverage.js';
import { jsonList } from './json-list.js';

export function intervalFileRoute(services: CoverageServices): RouteDeclaration {
  const { settings, queue, forReports, recording } = services;
  const query = z.object({
    sample_id: sampleIdField(),
    coverage_file_path: coverageFile(),
    intervals_bed_path: text()
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
      schema: documented(described),
      looks: { [multipartType]: fileForm(described, bedDescription) },
      form: { file: settings.limits.upload },
      streamLimit: settings.limits.upload + formBytes,
    },
    answers: {
      200: {
        description: 'One result per line, in the order of the file.',
        content: { 'application/json': z.array(intervalCoverage) },
      },
      ...failures,
    },
    async handle(request) {
      const { sources, examine, named } = await forReports(request.principal);
      const sent = sentWithBed(request);
      const { fields, sample: known } = await withFiles(sent.fields, named);
      const asked = checked(query, fields);
      await sources.coverageFile(asked.coverage_file_path, known?.track);
      const lines = await bedLines({ settings, sources }, sent.bed, asked.intervals_bed_path);
      const question: ExamineQuestion = {
        samples: [onlyAsked(asked.coverage_file_path, known)],
        targets: mapped(lines, (line) => ({ regions: [line] })),
        nameOf: (i) => nameOf(lines.at(i) as BedLine),
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
        return intervalAnswer({ id: intervalId(line), name: line.name }, examined.thresholds, depths, warnings);
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

function nameOf(line: BedLine): string {
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
