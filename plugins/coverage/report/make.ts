/** Measures what a page shows, and makes the page up to the point where its format matters. */
import type { Comparison } from '../cohorts/compare.js';
import type { RunChart } from '../cohorts/runs.js';
import type { Build } from '../contract.js';
import { FileFault } from '../measure/measure.js';
import { curveDepths } from '../measure/uniformity.js';
import type { MeasuringServices } from '../services.js';
import { type KnownSites, knownSites } from '../sites/report-sites.js';
import type { Texts } from '../texts/texts.js';
import { isIncomplete, type ReportData, readReportData, without } from './data.js';
import type { PageRequest } from './form/request.js';
import type { Timing } from './formats/format.js';
import type { DataParts } from './formats/report-json.js';
import { drawTranscript, exonsOf, geneContent } from './pages/gene-page.js';
import { maneContent } from './pages/mane-page.js';
import { overviewContent } from './pages/overview-page.js';
import { metricsTable, type ReportParts, reportContent } from './pages/report-page.js';
import type { ReportPanel } from './panel.js';
import { type ComparedTargets, chartedAssays, compareGaps, comparisonOf } from './sections/comparison.js';
import { dosesOf, mitochondriaOf, mitochondriaTable, mitochondriaTables } from './sections/doses.js';
import { copiesSections, withExpectedCopies } from './sections/expected-copies.js';
import { headerFacts, noticesOf, type ReportOrigin, sampleTable, subtitleOf, uncheckedOf } from './sections/header.js';
import { incompleteGenes } from './sections/incomplete-genes.js';
import { karyotypeSections, karyotypesOf, karyotypeTable, sexSections, sexTable } from './sections/karyotype-tables.js';
import { panelMark, panelSections, panelTables } from './sections/panel-sections.js';
import { checkRequirement } from './sections/requirement.js';
import { listedSites } from './sections/site-tables.js';
import { GapColumns, gapPortions } from './sections/target-gaps.js';
import { depthSpread, hsMetricsOf } from './sections/uniformity-tables.js';
import type { LazyTable, PageContent, PageView, TableExtent } from './view.js';

export interface MakingOptions extends ReportOrigin {
  texts: Texts;
  timing: Timing;
  /** The panel that the request names. */
  panel?: ReportPanel | undefined;
  /** Called with each shared dataset whose samples the page compares with. */
  noteShared?: (dataset: string) => void;
  signal: AbortSignal;
}

/** What was measured for a page, and the page itself, made when its format is known to need it. */
export interface MadePage {
  data: ReportData;
  /** What only this page measures. */
  parts: DataParts;
  view(extent: TableExtent): PageView;
  /** For CSV and TSV, the main one first: complete even if the page shows a part. */
  tables: readonly LazyTable[];
}

/** Low-coverage regions that a page lists; exports have all of them. */
const mostGaps = 1500;

/** Which parts of the report a format shows: each takes a further pass over the files. */
export interface ReportNeeds {
  /** Also the uniformity, which one pass gives together. */
  curves: boolean;
  /** Also whether the samples reach what the panel requires. */
  genes: boolean;
  gaps: 'none' | 'listed' | 'all';
  /** Which targets are compared with cohorts. */
  compared: ComparedTargets;
  /** Whether depths of X and Y are shown, which some readers must not know of some karyotypes. */
  sexDepths: boolean;
  /** Whether known sites are shown, and how many of those that are not callable are compared with the assay. */
  sites: 'none' | 'listed' | 'all';
}

export async function makePage(
  services: MeasuringServices,
  request: PageRequest,
  needs: ReportNeeds,
  options: MakingOptions,
): Promise<MadePage> {
  const { panel, signal, timing, texts } = options;
  const first = await readReportData(services, request, {
    signal,
    timing,
    texts,
    panel,
    ...(request.page === 'gene_overview' ? { more: exonsOf } : {}),
  });
  const { data, parts, content } = await timing.of('depth', () => soundContent(services, first, needs, options));
  const tables: LazyTable[] = [...content.tables];
  if (request.page !== 'report' && data.targets.length > 0) {
    tables.push({ name: 'metrics', make: () => metricsTable(data, texts) });
  }
  tables.push(...panelTables(data, texts), { name: 'samples', make: () => sampleTable(data, texts) });
  return {
    data,
    parts,
    tables,
    view: (extent) => ({
      page: request.page,
      title: [titleOf(data, texts), panelMark(data.panel, texts)].filter(Boolean).join(' · '),
      subtitle: subtitleOf(data, texts),
      facts: headerFacts(data, options, texts),
      warnings: noticesOf(data, texts),
      unchecked: uncheckedOf(data, texts),
      sampleTable: sampleTable(data, texts),
      // The report has them before its explanations.
      sections: [
        ...copiesSections(data, texts),
        ...content.sections(extent),
        ...(request.page === 'report' ? [] : panelSections(data, texts)),
      ],
    }),
  };
}

function titleOf({ request, selected }: ReportData, texts: Texts): string {
  if (request.page !== 'gene_overview') return texts.pages[request.page];
  const gene = selected[0]?.gene;
  return texts.gene.title(gene?.symbol ?? gene?.ensembl ?? request.genes.join(', '));
}

/**
 * What the page shows besides the numbers. Some of it is read from regions that were not measured (introns, for a
 * plot). If a file turns out to be damaged there, its samples are left out, as if the damage had been found before.
 */
async function soundContent(
  services: MeasuringServices,
  data: ReportData,
  needs: ReportNeeds,
  options: MakingOptions,
): Promise<MeasuredContent> {
  try {
    return await contentOfPage(services, data, needs, options);
  } catch (error) {
    const left = error instanceof FileFault ? without(data, error) : undefined;
    if (left === undefined) throw error;
    return soundContent(services, left, needs, options);
  }
}

interface MeasuredContent {
  /** With the comparison. */
  data: ReportData;
  parts: DataParts;
  content: PageContent;
}

async function contentOfPage(
  services: MeasuringServices,
  sampled: ReportData,
  needs: ReportNeeds,
  { signal, texts, noteShared }: MakingOptions,
): Promise<MeasuredContent> {
  const { request, targets } = sampled;
  const counted =
    request.page === 'report'
      ? await withChromosomes(services, sampled, signal)
      : needs.sexDepths
        ? await withKaryotypes(services, sampled, signal)
        : sampled;
  const measured = await withExpectedCopies(services, counted, signal);
  if (targets.length === 0) return { data: measured, parts: {}, content: samplesOnly(measured, texts) };
  const report = request.page === 'report' ? await reportParts(services, measured, needs, signal) : {};
  const comparison = await comparisonOf(services, measured, comparedOf(request.page, needs), report.genes, signal);
  const known = await knownOf(services, measured, comparison, needs, signal);
  const compared: ReportData = { ...measured, ...(comparison && { comparison }), ...(known && { known }) };
  const doses = request.page === 'report' ? await dosesOf(services, compared, signal) : undefined;
  const data = { ...compared, ...(doses && { doses }) };
  for (const dataset of comparison?.shared ?? []) noteShared?.(dataset);
  if (comparison !== undefined && request.page === 'report' && needs.curves) {
    report.charts = await chartsOf(services, comparison, request.build, signal);
  }
  if (report.gaps !== undefined) await compareGaps(data, report.gaps.list, signal);
  switch (request.page) {
    case 'report': {
      return { data, parts: report, content: reportContent(data, report, services.settings.sex, texts) };
    }
    case 'overview':
      return { data, parts: {}, content: overviewContent(data, texts) };
    case 'mane_overview':
      return { data, parts: {}, content: maneContent(data, texts) };
    case 'gene_overview': {
      const drawn = await drawTranscript(services, data, signal);
      return { data, parts: { drawn }, content: geneContent(data, drawn, texts) };
    }
  }
}

async function withChromosomes(
  services: MeasuringServices,
  data: ReportData,
  signal: AbortSignal,
): Promise<ReportData> {
  const hsMetrics = await hsMetricsOf(services, data.request);
  const [known, mitochondria] = await Promise.all([
    withKaryotypes(services, data, signal),
    mitochondriaOf(services, data, signal),
  ]);
  return { ...known, hsMetrics, mitochondria };
}

async function withKaryotypes(services: MeasuringServices, data: ReportData, signal: AbortSignal): Promise<ReportData> {
  const karyotypes = await karyotypesOf(services, data, signal);
  return { ...data, karyotypes, seesAneuploidy: services.seesAneuploidy };
}

async function chartsOf(
  { runCharts }: MeasuringServices,
  comparison: Comparison,
  build: Build,
  signal: AbortSignal,
): Promise<RunChart[]> {
  const charts: RunChart[] = [];
  for (const assay of chartedAssays(comparison)) {
    const chart = await runCharts({ build, assay, members: comparison.members }, signal);
    if (chart !== undefined) charts.push(chart);
  }
  return charts;
}

/** Of a report on genes, if sites are loaded for the build. */
async function knownOf(
  services: MeasuringServices,
  { request, found, samples }: ReportData,
  comparison: Comparison | undefined,
  { sites }: ReportNeeds,
  signal: AbortSignal,
): Promise<KnownSites | undefined> {
  const genes = found.flatMap((one) => one.genes);
  if (request.page !== 'report' || sites === 'none' || genes.length === 0) return undefined;
  const { build, level, poolAssays } = request;
  const question = {
    ...{ build, level, genes, comparison, isPooled: poolAssays },
    samples: samples.map(({ sample: { name, registration }, source: { location } }) => {
      return { name, location, registration: registration?.id };
    }),
    compared: sites === 'listed' ? listedSites : Number.POSITIVE_INFINITY,
  };
  return knownSites(services, question, signal);
}

/** The overview shows the incomplete intervals alone, the other pages all. */
function comparedOf(page: PageRequest['page'], { compared }: ReportNeeds): ComparedTargets {
  return compared === 'incomplete' && page !== 'overview' ? 'all' : compared;
}

/** A case without genes: its samples and their sexes. */
function samplesOnly(data: ReportData, texts: Texts): PageContent {
  if (data.request.page !== 'report') return { sections: () => [], tables: [] };
  return {
    sections: () => [
      ...sexSections(data, texts),
      ...karyotypeSections(data, texts),
      ...mitochondriaTables(data, texts).map((table) => ({ kind: 'table', table }) as const),
    ],
    tables: [
      { name: 'sex', make: () => sexTable(data, texts, data.seesAneuploidy === true) },
      { name: 'karyotype', make: () => karyotypeTable(data, texts, data.seesAneuploidy === true) },
      { name: 'mt_copies', make: () => mitochondriaTable(data, texts) },
    ],
  };
}

/** One after the other, so that only one of them takes memory for its work. */
async function reportParts(
  services: MeasuringServices,
  data: ReportData,
  needs: ReportNeeds,
  signal: AbortSignal,
): Promise<ReportParts> {
  const parts: ReportParts = {};
  if (needs.curves) Object.assign(parts, await depthSpread(services.sources, data, depthsOf(data), signal));
  if (needs.genes) parts.genes = await incompleteGenes(services.measure, data, signal);
  if (needs.genes) {
    const requirement = await checkRequirement(services, data, signal);
    if (requirement !== undefined) parts.requirement = requirement;
  }
  if (needs.gaps !== 'none') {
    const most = needs.gaps === 'all' ? Number.POSITIVE_INFINITY : mostGaps;
    parts.gaps = await listedGaps(services, data, most, signal);
  }
  return parts;
}

/** The depths at which curves are drawn. */
function depthsOf({ samples, request, thresholds }: ReportData): number[] {
  return curveDepths(
    samples.map(({ depths }) => depths.pooled.mean),
    thresholds,
    request.level,
  );
}

/** The gaps of as many targets as have `most` of them together, and how many incomplete targets a page does not show. */
async function listedGaps(
  { sources }: MeasuringServices,
  data: ReportData,
  most: number,
  signal: AbortSignal,
): Promise<{ list: GapColumns; shown: number; further: number }> {
  let further = 0;
  for (let at = 0; at < data.targets.length; at++) if (isIncomplete(data, at)) further += 1;
  const list = new GapColumns(data);
  let shown = 0;
  for await (const portion of gapPortions(sources, data, signal)) {
    for (const one of portion) {
      if (list.regions < mostGaps) {
        shown = list.length + 1;
        if (isIncomplete(data, one.at)) further -= 1;
      }
      if (list.regions < most) list.push(one);
    }
    if (list.regions >= most) break;
  }
  return { list, shown, further };
}
