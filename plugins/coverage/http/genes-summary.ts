/** `POST /coverage/d4/genes/summary`: the coverage of genes by sample, pooled over all of them. */
import { z } from 'zod';
import { fileForm, multipartType } from '../../../core/files.js';
import { Fault, type RouteDeclaration, type RouteRequest, route } from '../../../core/plugin.js';
import { builds, type IntervalSet, sampleSexes } from '../contract.js';
import { type Examination, noneIncluded } from '../measure/examine.js';
import {
  completeness,
  type MeasuredDepths,
  meanOfTargets,
  percentOfShare,
  type Target,
  type Warning,
} from '../measure/measure.js';
import { warningsOfSample } from '../measure/quality.js';
import { type List, mappedList } from '../measure/region.js';
import {
  type CopyOnY,
  type GeneSelection,
  type GeneTarget,
  geneIntervalTypes,
  select,
  sentenceOfUnmeasured,
  type UnmeasuredGene,
} from '../measure/select.js';
import { transcriptChoices } from '../measure/transcripts.js';
import { refusedType } from '../report/data.js';
import { bedLines } from '../report/form/bed-lines.js';
import { fieldFault } from '../report/form/fields.js';
import { entriesData, panelVersionData } from '../report/formats/json.js';
import {
  confidenceField,
  type PanelConfidence,
  type PanelRequest,
  panelConfidences,
  panelField,
  requestedGenes,
  resolvePanel,
  wantedTranscripts,
  withSymbols,
} from '../report/panel.js';
import { withFiles } from '../samples/find.js';
import type { CoverageServices } from '../services.js';
import { en } from '../texts/texts.js';
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
  uniqueFields,
  uniqueOf,
  wholeNumber,
} from './input.js';
import { intervalId, warningSchema } from './interval-coverage.js';

// Panels in the requests and responses of the endpoints for programs.

/** In a request that takes a list of genes. */
const panelFields = {
  [panelField]: z
    .string()
    .max(200)
    .nullish()
    .describe(
      'A gene panel, ID@VERSION, or ID for the latest signed-off version: its genes are measured with those of hgnc_gene_ids.',
    ),
  [confidenceField]: z
    .enum(panelConfidences)
    .default('all')
    .describe('Genes of the panel: all, amber (and green and unrated), or green (and unrated).'),
};

/** Which version was used, and what of it was measured. */
const panelShape = z
  .object({
    reference: z.string().describe('kidney@1.10'),
    id: z.string(),
    version: z.string(),
    name: z.string(),
    state: z.string().describe('draft, in review, signed off or retired.'),
    sha256: z.string(),
    gene_names: z.string().nullable().describe('The release of gene names by which its entries were mapped.'),
    signed_off: z.object({ at: z.iso.datetime(), by: z.array(z.string()) }).nullable(),
    newer: z.object({ version: z.string(), genes_that_differ: z.int() }).nullable(),
    confidence: z.enum(panelConfidences),
    genes_beside: z.array(z.string()).describe('Genes of hgnc_gene_ids that the panel does not have.'),
    not_covered: z
      .array(
        z.object({
          kind: z.string(),
          name: z.string(),
          hgnc: z.string().nullable(),
          place: z.string().nullable(),
          reason: z.string(),
          message: z.string().optional(),
        }),
      )
      .describe('Entries of the panel that were not measured.'),
    transcripts_not_as_wanted: z.array(
      z.object({ gene: z.string(), wanted: z.string(), measured: z.string().nullable() }),
    ),
  })
  .meta({ id: 'PanelOfReport' });

type PanelShape = z.output<typeof panelShape>;

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
    unique_mean_coverage: z.number().optional().describe('By the file of unique reads, if one was given.'),
    unique_coverage_completeness_percent: z.number().optional(),
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
    ...uniqueFields(),
    sex: z.enum(sampleSexes).nullish().describe('Declared sex, to be compared with the coverage of X and Y.'),
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
    coverage_threshold: wholeNumber(0, 2 ** 31 - 1),
    interval_type: z.enum([...geneIntervalTypes, 'custom_intervals']),
    transcripts: z
      .enum(transcriptChoices)
      .default('preferred')
      .describe(
        'preferred: MANE Select, else MANE Plus Clinical, else those with a RefSeq mRNA, else all of the gene.',
      ),
    intervals_bed_path: textSchema()
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
      schema: documentedSchema(described),
      looks: { [multipartType]: fileForm(described, bedDescription) },
      form: { file: limits.upload },
      streamLimit: limits.upload + formBytes,
    },
    answers: {
      200: jsonAnswer('Keyed by sample name.', z.record(z.string(), sampleSummary)),
      ...failures,
    },
    async handle(request) {
      const { sources, examine, named: find } = await forReports(request.principal);
      const sent = sentWithBed(request);
      const { fields, samples: registered } = await withFiles(sent.fields, find);
      const asked = checkedInput(query, fields);
      const { interval_type: type, hgnc_gene_ids: ids = [], build } = asked;
      const targetsOfBed = async (): Promise<SummaryTargets> => {
        if (asked.panel?.trim()) throw fieldFault(panelField, en.panels.notWithBed);
        const lines = await bedLines({ settings, sources }, sent.bed, asked.intervals_bed_path);
        const targets = mappedList(lines, (line) => ({ regions: [line], name: line.name ?? intervalId(line) }));
        return { targets, notMeasured: [], sets: [], genes: ids.length };
      };
      const { targets, ...selected } =
        type === 'custom_intervals'
          ? await targetsOfBed()
          : await targetsOfGenes(services, { ...asked, type, ids }, request);
      const question = { thresholds: [asked.coverage_threshold], build, signal: request.signal };
      const work = async (): Promise<[Examination, MeasuredDepths | undefined]> => {
        const examined = await examine({
          ...question,
          samples: asked.samples.map(({ name, coverage_file_path: path, unique_file_path: unique, sex }, i) => {
            const known = registered.get(i);
            const { track, registration } = known ?? {};
            const second = uniqueOf(unique, known, `samples.${i}.`);
            return { name, path, track, sex: sex ?? known?.sex, registration, ...second };
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

interface NamedTarget extends Target {
  name: string;
}

/** What is measured. */
interface SummaryTargets {
  targets: List<NamedTarget>;
  copies?: readonly CopyOnY[];
  notes?: readonly Warning[];
  notMeasured: readonly UnmeasuredGene[];
  sets: readonly IntervalSet[];
  /** Number of requested genes, those of the panel too. */
  genes: number;
  panel?: PanelShape;
}

interface SummaryQuery extends Pick<GeneSelection, 'build' | 'type' | 'transcripts'> {
  ids: readonly (string | number)[];
  panel?: string | null | undefined;
  panel_confidence: PanelConfidence;
}

/** The genes of the panel, then those of the list. */
async function targetsOfGenes(
  { intervals, panels, panelReader, settings: { limits, spliceBases: splice } }: CoverageServices,
  { build, type, transcripts, ids, panel: sent, panel_confidence: confidence }: SummaryQuery,
  request: PanelRequest & Pick<RouteRequest<unknown, unknown, unknown>, 'signal'>,
): Promise<SummaryTargets> {
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
    targets: selection.targets.map(namedTarget),
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

function nothingFound(notMeasured: readonly UnmeasuredGene[]): Fault {
  const sentences = notMeasured.slice(0, 5).map(sentenceOfUnmeasured);
  const more = notMeasured.length > 5 ? `; and ${notMeasured.length - 5} more` : '';
  return new Fault('unprocessable', `There is nothing to measure: ${sentences.join('; ')}${more}`);
}

function namedTarget({ gene, regions }: GeneTarget): NamedTarget {
  return { regions, name: gene.symbol ?? gene.ensembl };
}

type Summary = z.output<typeof sampleSummary>;

/** Keyed by sample name. A sample that was not measured reaches no threshold, so that it never looks covered. */
function summaries(
  { thresholds, samples, notIncluded, quality }: Examination,
  spread: MeasuredDepths | undefined,
  { notMeasured, sets, panel }: Omit<SummaryTargets, 'targets'>,
): Map<string, Summary> {
  const twoDecimals = (value: number) => Math.round(value * 100) / 100;
  const common = {
    ...(panel === undefined ? {} : { panel }),
    genes_not_found: notMeasured.map((one) => ({
      gene: one.asked,
      reason: one.reason,
      message: sentenceOfUnmeasured(one),
    })),
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
    const { pooled, targets, unique } = depths;
    const { min, max, median } = spread?.samples[i]?.targets.at(0) ?? {};
    found.set(asked.name, {
      mean_coverage: twoDecimals(pooled.mean),
      coverage_completeness_percent: percentOfShare(completeness(pooled, 0)),
      mean_of_intervals: twoDecimals(meanOfTargets(depths)),
      length: pooled.length,
      bases_at: Object.fromEntries(thresholds.map((threshold, k) => [String(threshold), pooled.reached[k] ?? 0])),
      intervals: targets.length,
      ...(unique && {
        unique_mean_coverage: twoDecimals(unique.pooled.mean),
        unique_coverage_completeness_percent: percentOfShare(completeness(unique.pooled, 0)),
      }),
      ...(min === undefined || max === undefined || median === undefined ? {} : { min, max, median }),
      ...common,
      warnings: warningsOfSample(quality, asked.name),
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
      warnings: warningsOfSample(quality, asked.name),
      error: { code: fault.code, message: fault.public, file: fileName },
    });
  }
  return found;
}
