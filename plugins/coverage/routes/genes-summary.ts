/** `POST /coverage/d4/genes/summary`: the coverage of genes by sample, pooled over all of them. */
import { z } from 'zod';
import { fileForm, multipartType } from '../../../core/files.js';
import { Fault, type RouteDeclaration, type RouteRequest, route } from '../../../core/plugin.js';
import { builds, type IntervalSet } from '../contract.js';
import { type Examination, noneIncluded } from '../domain/examine.js';
import { type List, mapped } from '../domain/list.js';
import { completeness, type Measured, meanOfTargets, percentOf, type Target, type Warning } from '../domain/measure.js';
import { warningsOf } from '../domain/quality.js';
import {
  type CopyOnY,
  type GeneTarget,
  geneIntervalTypes,
  type NotMeasured,
  select,
  sentenceOf,
  type Wanted,
} from '../domain/select.js';
import { declaredSexes } from '../domain/sex.js';
import { transcriptChoices } from '../domain/transcripts.js';
import { entriesData, panelVersionData } from '../exports/panel-json.js';
import { type PanelConfidence, requestedGenes, wantedTranscripts, withSymbols } from '../panels/panel.js';
import type { PanelRequest } from '../panels/reader.js';
import { refusedPanel, resolvePanel } from '../panels/resolve.js';
import { withFiles } from '../registry/named.js';
import { refusedType } from '../report/report-data.js';
import type { CoverageServices } from '../services.js';
import { bedLines } from '../sources/bed-lines.js';
import { en } from '../texts/en.js';
import { bedDescription, formBytes, sentWithBed } from './bed-form.js';
import { checked, coverageFile, documented, failures, flag, namesFile, sampleIdField, text, whole } from './input.js';
import { intervalId, warningSchema } from './interval-coverage.js';
import { type PanelShape, panelFields, panelShape } from './panel-shapes.js';

/** Chanjo2's sentence for a request that names no gene. */
const noGenesSentence = 'Please provide either Ensembl gene IDs, HGNC gene IDS or HGNC gene symbols.';

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
      .describe('Percentage of the distinct bases at or above the threshold; 100 only if every base is.'),
    mean_of_intervals: z.number().describe('Unweighted mean of the means of the intervals, to two decimals.'),
    length: z.int().describe('Distinct bases.'),
    bases_at: z.record(z.string(), z.int()).describe('Threshold → bases at or above it.'),
    intervals: z.int().describe('Number of intervals.'),
    min: z.number().optional(),
    max: z.number().optional(),
    median: z.number().optional(),
    genes_not_found: z.array(z.object({ gene: z.string(), reason: z.string(), message: z.string() })),
    panel: panelShape.optional().describe('The panel whose genes were measured, if the request names one.'),
    interval_sets: z.array(intervalSet).describe('The loaded sets that the intervals come from.'),
    warnings: z.array(warningSchema),
    error: z
      .object({ code: z.string(), message: z.string(), file: z.string() })
      .optional()
      .describe('Why this sample was not measured. All its numbers are then 0, and `file` is the name of its file.'),
  })
  .meta({ id: 'GenesSummary' });

export function genesSummaryRoute(services: CoverageServices): RouteDeclaration {
  const { settings, measure, queue, recording, forReports } = services;
  const { limits } = settings;
  const gene = z.union([z.int(), z.string().max(200)]);
  const sample = z.object({
    sample_id: sampleIdField(),
    name: z.string().min(1).max(1000),
    coverage_file_path: coverageFile(),
    sex: z.enum(declaredSexes).nullish().describe('Declared sex, to be compared with the coverage of X and Y.'),
  });
  const query = z.object({
    build: z.enum(builds),
    samples: z
      .array(sample)
      .max(limits.samples)
      .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'two samples have the same name'),
    hgnc_gene_ids: z
      .preprocess((value) => (typeof value === 'string' ? value.split(',') : value), z.array(gene).max(limits.genes))
      .optional()
      .meta({ type: 'array', items: { type: ['integer', 'string'] } })
      .describe('HGNC ids; Ensembl ids, symbols and ids of transcripts (NM_…, ENST…) are accepted, too.'),
    ...panelFields,
    coverage_threshold: whole(0, 2 ** 31 - 1),
    interval_type: z.enum([...geneIntervalTypes, 'custom_intervals']),
    transcripts: z
      .enum(transcriptChoices)
      .default('preferred')
      .describe(
        'preferred: MANE Select, else MANE Plus Clinical, else those with a RefSeq mRNA, else all of the gene.',
      ),
    intervals_bed_path: text()
      .nullish()
      .meta(namesFile('For custom_intervals: a BED file under a configured directory.')),
    distribution: flag().describe('Whether to return min, max and median.'),
  });

  const described = query.extend({
    samples: z.array(sample.partial({ name: true, coverage_file_path: true })).max(limits.samples),
  });

  return route({
    method: 'POST',
    path: '/coverage/d4/genes/summary',
    operation: 'genesSummary',
    class: 'report',
    summary: 'Mean coverage and completeness of genes, by sample',
    description:
      'Pooled over the distinct bases of the chosen intervals: genes (their spans), transcripts (exonic bases of the ' +
      'chosen transcripts), exons (of the chosen transcripts), coding (their coding bases, with splice bases) or custom_intervals (a BED file, which may come with the ' +
      'request as a multipart form).',
    body: {
      types: ['application/json', multipartType],
      schema: documented(described),
      looks: { [multipartType]: fileForm(described, bedDescription) },
      form: { file: limits.upload },
      streamLimit: limits.upload + formBytes,
    },
    answers: {
      200: {
        description: 'Keyed by sample name.',
        content: { 'application/json': z.record(z.string(), sampleSummary) },
      },
      ...failures,
    },
    async handle(request) {
      const { sources, examine, named: find } = await forReports(request.principal);
      const sent = sentWithBed(request);
      const { fields, samples: registered } = await withFiles(sent.fields, find);
      const asked = checked(query, fields);
      const { interval_type: type, hgnc_gene_ids: ids = [], build } = asked;
      const targetsOfBed = async (): Promise<Chosen> => {
        if (asked.panel?.trim()) throw refusedPanel(en.panels.notWithBed);
        const lines = await bedLines({ settings, sources }, sent.bed, asked.intervals_bed_path);
        const targets = mapped(lines, (line) => ({ regions: [line], name: line.name ?? intervalId(line) }));
        return { targets, notMeasured: [], sets: [], genes: ids.length };
      };
      const { targets, ...selected } =
        type === 'custom_intervals'
          ? await targetsOfBed()
          : await targetsOfGenes(services, { ...asked, type, ids }, request);
      const question = { thresholds: [asked.coverage_threshold], build, signal: request.signal };
      const work = async (): Promise<[Examination, Measured | undefined]> => {
        const examined = await examine({
          ...question,
          samples: asked.samples.map(({ name, coverage_file_path: path, sex }, i) => {
            const known = registered.get(i);
            const { track, registration } = known ?? {};
            return { name, path, track, sex: sex ?? known?.sex, registration };
          }),
          targets,
          copies: selected.copies,
          notes: selected.notes,
          nameOf: (i) => targets.at(i)?.name ?? '',
          level: asked.coverage_threshold,
          sexes: 'needed',
        });
        const { samples, notIncluded } = examined;
        if (samples.length === 0 && notIncluded.length > 0) throw noneIncluded(notIncluded);
        if (!asked.distribution) return [examined, undefined];
        const spread = await measure({
          ...question,
          samples: samples.map(({ asked: { name }, location }) => ({ name, location })),
          targets: [{ regions: [...targets].flatMap(({ regions }) => [...regions]) }],
          distribution: true,
        });
        return [examined, spread];
      };
      const size = targets.length * asked.samples.length;
      const [examined, spread] = await queue.run(size, work, request.signal);
      const samples = asked.samples.map(({ name }, i) => ({ name, registration: registered.get(i)?.registration }));
      await recording.report(request, { what: 'genes_summary', samples, genes: selected.genes });
      const all = summaries(examined, spread, selected);
      return { body: Object.fromEntries(asked.samples.map(({ name }) => [name, all.get(name)])) };
    },
  });
}

interface Named extends Target {
  name: string;
}

/** What is measured. */
interface Chosen {
  targets: List<Named>;
  copies?: readonly CopyOnY[];
  notes?: readonly Warning[];
  notMeasured: readonly NotMeasured[];
  sets: readonly IntervalSet[];
  /** Number of requested genes, those of the panel too. */
  genes: number;
  panel?: PanelShape;
}

interface AskedGenes extends Pick<Wanted, 'build' | 'type' | 'transcripts'> {
  ids: readonly (string | number)[];
  panel?: string | null | undefined;
  panel_confidence: PanelConfidence;
}

/** The genes of the panel, then those of the list. */
async function targetsOfGenes(
  { intervals, panels, panelReader, settings: { limits, spliceBases: splice } }: CoverageServices,
  { build, type, transcripts, ids, panel: sent, panel_confidence: confidence }: AskedGenes,
  request: PanelRequest & Pick<RouteRequest<unknown, unknown, unknown>, 'signal'>,
): Promise<Chosen> {
  const reference = sent?.trim();
  if (ids.length === 0 && !reference) throw new Fault('unprocessable', noGenesSentence);
  const listed = ids.map(String);
  const { signal } = request;
  const caller = reference ? await panelReader(request, reference) : undefined;
  const question = { confidence, caller, listed: listed.length, most: limits.genes };
  const panel = reference ? await resolvePanel(panels, { reference, ...question }, en) : undefined;
  const genes = requestedGenes(listed, panel);
  const wanted = { build, genes, type, splice, transcripts, named: wantedTranscripts(panel) };
  const selection = withSymbols(await select(intervals, wanted, { signal }), panel);
  const { copies, notes, notMeasured, sets } = selection;
  if (selection.type !== type) throw refusedType(en.counted.unknown(build));
  if (selection.targets.length === 0) throw nothingFound(notMeasured);
  return {
    targets: selection.targets.map(named),
    copies,
    notes,
    notMeasured,
    sets,
    genes: genes.length,
    ...(panel && {
      panel: { ...panelVersionData(panel), ...entriesData({ ...selection, panel, request: { genes: listed } }) },
    }),
  };
}

function nothingFound(notMeasured: readonly NotMeasured[]): Fault {
  const sentences = notMeasured.slice(0, 5).map(sentenceOf);
  const more = notMeasured.length > 5 ? `; and ${notMeasured.length - 5} more` : '';
  return new Fault('unprocessable', `There is nothing to measure: ${sentences.join('; ')}${more}`);
}

function named({ gene, regions }: GeneTarget): Named {
  return { regions, name: gene.symbol ?? gene.ensembl };
}

type Summary = z.output<typeof sampleSummary>;

/** Keyed by sample name. A sample that was not measured reaches no threshold, so that it never looks covered. */
function summaries(
  { thresholds, samples, notIncluded, quality }: Examination,
  spread: Measured | undefined,
  { notMeasured, sets, panel }: Omit<Chosen, 'targets'>,
): Map<string, Summary> {
  const twoDecimals = (value: number) => Math.round(value * 100) / 100;
  const common = {
    ...(panel === undefined ? {} : { panel }),
    genes_not_found: notMeasured.map((one) => ({ gene: one.asked, reason: one.reason, message: sentenceOf(one) })),
    interval_sets: sets.map(({ kind, build, release, checksum, loaded }) => ({
      kind,
      ...(build === undefined ? {} : { build }),
      ...(release === undefined ? {} : { release }),
      checksum,
      loaded: loaded.toISOString(),
    })),
  };
  const found = new Map<string, Summary>();
  for (const [i, { asked, depths }] of samples.entries()) {
    const { pooled, targets } = depths;
    const { min, max, median } = spread?.samples[i]?.targets.at(0) ?? {};
    found.set(asked.name, {
      mean_coverage: twoDecimals(pooled.mean),
      coverage_completeness_percent: percentOf(completeness(pooled, 0)),
      mean_of_intervals: twoDecimals(meanOfTargets(depths)),
      length: pooled.length,
      bases_at: Object.fromEntries(thresholds.map((threshold, k) => [String(threshold), pooled.reached[k] ?? 0])),
      intervals: targets.length,
      ...(min === undefined || max === undefined || median === undefined ? {} : { min, max, median }),
      ...common,
      warnings: warningsOf(quality, asked.name),
    });
  }
  const { length = 0 } = samples[0]?.depths.pooled ?? {};
  for (const { asked, fileName, fault } of notIncluded) {
    found.set(asked.name, {
      mean_coverage: 0,
      coverage_completeness_percent: 0,
      mean_of_intervals: 0,
      length,
      intervals: 0,
      bases_at: Object.fromEntries(thresholds.map((threshold) => [String(threshold), 0])),
      ...common,
      warnings: warningsOf(quality, asked.name),
      error: { code: fault.code, message: fault.public, file: fileName },
    });
  }
  return found;
}
