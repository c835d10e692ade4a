/** `POST /coverage/d4/genes/summary`: some genes of some samples, pooled. */
import { z } from 'zod';
import { Fault, fileForm, multipartType, type RouteDeclaration, route } from '../../../core/plugin.js';
import { builds, type IntervalSet } from '../contract.js';
import { completeness, type Measured, meanOfTargets, percentOf, type Question } from '../domain/measure.js';
import { geneIntervalTypes, type NotMeasured, select, sentenceOf } from '../domain/select.js';
import { transcriptChoices } from '../domain/transcripts.js';
import type { CoverageServices } from '../services.js';
import { bedDescription, bedLines, formBytes, sentBy } from './bed-input.js';
import { failures } from './failures.js';
import { checked, documented, flag, text, whole } from './input.js';
import { warningSchema } from './interval-coverage.js';

/** Chanjo2's sentence where no gene is named. */
export const noGenesSentence = 'Please provide either Ensembl gene IDs, HGNC gene IDS or HGNC gene symbols.';

const intervalSet = z.object({
  kind: z.string(),
  build: z.string().optional(),
  release: z.string().optional(),
  checksum: z.string(),
  loaded: z.iso.datetime(),
});

const sampleSummary = z
  .object({
    mean_coverage: z.number().describe('Mean depth of the distinct bases, to two decimals.'),
    coverage_completeness_percent: z
      .number()
      .describe('Share of the distinct bases that reach the threshold; 100 only where every base does.'),
    mean_of_intervals: z.number().describe('Unweighted mean of the means of the intervals, to two decimals.'),
    length: z.int().describe('Distinct bases.'),
    bases_at: z.record(z.string(), z.int()).describe('Threshold → bases that reach it.'),
    intervals: z.int().describe('Intervals that were measured.'),
    min: z.number().optional(),
    max: z.number().optional(),
    median: z.number().optional(),
    genes_not_found: z.array(z.object({ gene: z.string(), reason: z.string(), message: z.string() })),
    interval_sets: z.array(intervalSet).describe('What the intervals were taken from.'),
    warnings: z.array(warningSchema),
  })
  .meta({ id: 'GenesSummary' });

export function genesSummaryRoute(services: CoverageServices): RouteDeclaration {
  const { settings, sources, intervals, measure, access } = services;
  const { limits } = settings;
  const gene = z.union([z.int(), z.string().max(200)]);
  const query = z.object({
    build: z.enum(builds),
    samples: z
      .array(z.object({ name: z.string().min(1).max(1000), coverage_file_path: text() }))
      .max(limits.samples)
      .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'two samples have one name'),
    hgnc_gene_ids: z
      .preprocess((value) => (typeof value === 'string' ? value.split(',') : value), z.array(gene).max(limits.genes))
      .optional()
      .meta({ type: 'array', items: { type: ['integer', 'string'] } })
      .describe('Numbers of HGNC; Ensembl ids and symbols are found, too.'),
    coverage_threshold: whole(0, 2 ** 31 - 1),
    interval_type: z.enum([...geneIntervalTypes, 'custom_intervals']),
    transcripts: z
      .enum(transcriptChoices)
      .default('preferred')
      .describe('preferred: MANE Select, else MANE Plus Clinical, else those with a RefSeq mRNA, else all.'),
    intervals_bed_path: text().nullish().describe('For custom_intervals: a BED file under a configured directory.'),
    distribution: flag().describe('Whether to answer min, max and median.'),
  });

  return route({
    method: 'POST',
    path: '/coverage/d4/genes/summary',
    operation: 'genesSummary',
    summary: 'Mean coverage and completeness of genes, by sample',
    description:
      'Pooled over the distinct bases of the chosen intervals: genes (their spans), transcripts (exonic bases of the ' +
      'chosen transcripts), exons (of the chosen transcripts) or custom_intervals (a BED file, which may come with the ' +
      'request as a multipart form).',
    ...(access.header === undefined ? {} : { access: access.header }),
    body: {
      types: ['application/json', multipartType],
      schema: documented(query),
      looks: { [multipartType]: fileForm(query, bedDescription) },
      streamLimit: limits.upload + formBytes,
    },
    answers: {
      200: {
        description: 'By name of sample.',
        content: { 'application/json': z.record(z.string(), sampleSummary) },
      },
      ...failures,
    },
    async handle(request) {
      const sent = await sentBy(request, services);
      const asked = checked(query, sent.fields);
      const { interval_type: type, hgnc_gene_ids: ids = [], build, transcripts } = asked;
      const samples = await Promise.all(
        asked.samples.map(async ({ name, coverage_file_path }) => ({
          name,
          location: await sources.coverageFile(coverage_file_path),
        })),
      );
      let targets: Question['targets'];
      let notMeasured: readonly NotMeasured[] = [];
      let sets: readonly IntervalSet[] = [];
      if (type === 'custom_intervals') {
        targets = (await bedLines(services, sent.bed, asked.intervals_bed_path)).map((line) => ({ regions: [line] }));
      } else {
        if (ids.length === 0) throw new Fault('unprocessable', noGenesSentence);
        const genes = ids.map(String);
        ({ targets, notMeasured, sets } = await select(intervals, { build, genes, type, transcripts }));
        if (targets.length === 0) throw nothingFound(notMeasured);
      }
      const question = { samples, targets, thresholds: [asked.coverage_threshold], build, signal: request.signal };
      const measured = await measure(question);
      const spread = asked.distribution
        ? await measure({
            ...question,
            targets: [{ regions: targets.flatMap(({ regions }) => [...regions]) }],
            distribution: true,
          })
        : undefined;
      return { body: summaries(measured, spread, notMeasured, sets) };
    },
  });
}

function nothingFound(notMeasured: readonly NotMeasured[]): Fault {
  const sentences = notMeasured.slice(0, 5).map(sentenceOf);
  const more = notMeasured.length > 5 ? `; and ${notMeasured.length - 5} more` : '';
  return new Fault('unprocessable', `There is nothing to measure: ${sentences.join('; ')}${more}`);
}

function summaries(
  { thresholds, samples }: Measured,
  spread: Measured | undefined,
  notMeasured: readonly NotMeasured[],
  sets: readonly IntervalSet[],
): Record<string, z.output<typeof sampleSummary>> {
  const twoDecimals = (value: number) => Math.round(value * 100) / 100;
  const entries = samples.map((sample, i): [string, z.output<typeof sampleSummary>] => {
    const { name, pooled, targets, warnings } = sample;
    const { min, max, median } = spread?.samples[i]?.targets[0] ?? {};
    return [
      name,
      {
        mean_coverage: twoDecimals(pooled.mean),
        coverage_completeness_percent: percentOf(completeness(pooled, 0)),
        mean_of_intervals: twoDecimals(meanOfTargets(sample)),
        length: pooled.length,
        bases_at: Object.fromEntries(thresholds.map((threshold, k) => [String(threshold), pooled.reached[k] ?? 0])),
        intervals: targets.length,
        ...(min === undefined || max === undefined || median === undefined ? {} : { min, max, median }),
        genes_not_found: notMeasured.map((one) => ({
          gene: one.asked,
          reason: one.reason,
          message: sentenceOf(one),
        })),
        interval_sets: sets.map(({ kind, build, release, checksum, loaded }) => ({
          kind,
          ...(build === undefined ? {} : { build }),
          ...(release === undefined ? {} : { release }),
          checksum,
          loaded: loaded.toISOString(),
        })),
        warnings: warnings.map(({ code, message }) => ({ code, message })),
      },
    ];
  });
  return Object.fromEntries(entries);
}
