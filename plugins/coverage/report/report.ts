/**
 * A report from the request to the answer, stage by stage: reads the form, finds the panel, takes a place in the queue, measures what
 * the page shows, makes the page up to the point where its format matters, and responds in that format. The other pages take the
 * same way.
 */
import { Readable } from 'node:stream';
import { type Answer, isFault, type RouteRequest } from '../../../core/plugin.js';
import type { Comparison } from '../cohorts/compare.js';
import { FileFault } from '../measure/measure.js';
import type { CoverageServices, MeasuringServices } from '../services.js';
import { type KnownSites, knownSites } from '../sites/report-sites.js';
import { type Texts, textsFor } from '../texts/texts.js';
import { cautionOf } from './caution.js';
import { type ReportData, readReportData, requestedNames, sizeOfRequest, withoutFile } from './data.js';
import {
  asUnprocessable,
  type FormFields,
  idHeader,
  inputFault,
  lastOfField,
  reasonsOfFault,
  type SubmittedForm,
} from './form/fields.js';
import { fieldsAgain, type PageName, type PageRequest, parseForm } from './form/request.js';
import { namedIn } from './form/samples.js';
import { gapsBed, separatedLines, tableNamed, withHeaderColumns, withUniqueColumns } from './formats/delimited.js';
import { fhirText } from './formats/fhir/bundle.js';
import {
  attachment,
  type Format,
  fileName,
  formatOfRequest,
  mediaTypes,
  needsOfFormat,
  type ReportNeeds,
  ServerTiming,
  wantsPage,
} from './formats/format.js';
import { jsonText } from './formats/json.js';
import { multiqcEnding, multiqcJson } from './formats/multiqc.js';
import { type DataParts, reportJson } from './formats/report-json.js';
import type { FormChoices } from './html/form.js';
import { type PageSurroundings, refusedPage, surroundingsOfRequest, viewPage } from './html/page.js';
import { keepPage, requesterOfCaller } from './kept/facts.js';
import { mustKeep, newId, streamOfText } from './kept/kept.js';
import { drawTranscript, exonsOfTargets, geneContent } from './pages/gene-page.js';
import { maneContent, overviewContent } from './pages/overview-pages.js';
import { metricsTable, type ReportParts, reportContent, samplesOnly } from './pages/report-page.js';
import { type PanelRequest, panelOfRequest, panelReference, type ReportPanel } from './panel.js';
import { comparedTargetsOf, comparisonOfReport } from './sections/cohorts.js';
import { dosesOfSamples, mitochondriaOfSamples } from './sections/doses.js';
import { copiesSections, withExpectedCopies } from './sections/expected-copies.js';
import {
  headerFacts,
  noticesOfReport,
  type ReportOrigin,
  sampleTable,
  subtitleOfReport,
  titleOfPage,
  uncheckedNotes,
} from './sections/header.js';
import { incompleteGenes } from './sections/incomplete-genes.js';
import { withKaryotypes } from './sections/karyotype-tables.js';
import { ofPlaces } from './sections/panel-places.js';
import { panelMark, panelSections, panelTables } from './sections/panel-sections.js';
import { checkRequirement } from './sections/requirement.js';
import { runChartsOf } from './sections/run-charts.js';
import { listedSites } from './sections/site-tables.js';
import { compareGaps, listedGaps } from './sections/target-gaps.js';
import { depthSpread, hsMetricsOf } from './sections/uniformity-tables.js';
import { type LazyTable, type PageContent, type PageView, paperOf, type TableExtent } from './view.js';

type PageCall = PanelRequest & Pick<RouteRequest<unknown, unknown, unknown>, 'nonce' | 'signal'>;

// The request, stage by stage, and the answer if one of them fails.

/**
 * `offered` lists what a form that is shown again offers; omitted if the client may not see it. `record` is called with what was
 * reported, before the answer leaves. Without it nothing is kept either.
 */
export async function answerPage(
  services: CoverageServices,
  name: PageName,
  form: SubmittedForm,
  request: PageCall,
  offered?: () => Promise<FormChoices>,
  record?: (asked: PageRequest, reported: ReportedCounts) => Promise<void>,
): Promise<Answer> {
  const { fields: sent, file } = form;
  const texts = textsFor(lastOfField(sent, 'lang'), request.headers);
  const { levels, limits, defaultIntervals, spliceBases } = services.settings;
  const around = surroundingsOfRequest(services, texts, request.nonce);
  let format: Format | undefined;
  try {
    // 1. The format, and the form with the samples that it names.
    format = formatOfRequest(name, sent, request, texts);
    const known = await namedIn(sent, limits.samples, texts, services.named);
    const parsed = parseForm(name, form, { levels, limits, known, defaultIntervals, spliceBases }, texts);
    if ('faults' in parsed) throw inputFault(parsed.faults);
    const isKept = record !== undefined && mustKeep(services.kept, name, sent, texts);

    // 2. The panel.
    const timing = new ServerTiming();
    const { panelRef } = parsed.request;
    const panel =
      panelRef === undefined
        ? undefined
        : await timing.of('panel', () => panelOfRequest(services, { ...parsed.request, panelRef }, request, texts));

    // 3. What is measured and made, once it is the request's turn.
    const shared = new Set<string>();
    const noteShared = (dataset: string) => void shared.add(dataset);
    const making = {
      ...{ version: services.version, now: services.now(), ...(isKept && { id: newId() }) },
      ...{ texts, timing, panel, noteShared, signal: request.signal },
    };
    const by = request.principal && requesterOfCaller(request.principal);
    const delivery = { format, table: lastOfField(sent, 'table'), sent, by, shared, around };
    // What is kept is all that the JSON has.
    const needs = isKept ? needsOfFormat('json', undefined) : needsOfFormat(format, delivery.table);
    const answer = await services.queue.run(
      sizeOfRequest(parsed.request, panel),
      async () => {
        const made = await makePage(services, parsed.request, needs, making);
        return timing.of('page', () => answerIn(delivery, services, parsed.request, made, making));
      },
      request.signal,
    );

    // 4. The record of who got a report on what.
    const genes = requestedNames(parsed.request, panel).length;
    await record?.(parsed.request, { genes, shared: [...shared], ...(isKept && { kept: making.id }) });
    return { ...answer, headers: { ...answer.headers, ...varied, 'Server-Timing': timing.header() } };
  } catch (error) {
    if (!isFault(error) || !(error.code in refusals)) throw error;
    const status = refusals[error.code as keyof typeof refusals];
    if (!wantsPage(format, request)) throw status === 422 ? asUnprocessable(error) : error;
    const offers = await offered?.();
    const refused = { page: name, sent, file, title: texts.form.title, reasons: reasonsOfFault(error, texts), offers };
    return {
      status,
      type: mediaTypes.html,
      headers: { ...error.headers, ...varied },
      body: refusedPage({ ...around, ...refused }),
    };
  }
}

export interface ReportedCounts {
  /** Genes by their requested names, those of the panel too. */
  genes: number;
  /** Shared datasets that the samples were compared with. */
  shared: readonly string[];
  /** The id under which the report is kept. */
  kept?: string | undefined;
}

const varied = { Vary: 'Accept, Accept-Language' };

/** Faults that a user can correct or wait for, with the status of the page that explains them. */
const refusals = { invalid: 422, unprocessable: 422, 'not-found': 422, 'too-large': 413, unavailable: 503 } as const;

// What the page shows: what is measured for it, and the page itself.

interface MakingOptions extends ReportOrigin {
  texts: Texts;
  timing: ServerTiming;
  /** The panel that the request names. */
  panel?: ReportPanel | undefined;
  /** Called with each shared dataset whose samples the page compares with. */
  noteShared?: (dataset: string) => void;
  signal: AbortSignal;
}

/** What was measured for a page, and the page itself, made when its format is known to need it. */
interface MadePage {
  data: ReportData;
  /** What only this page measures. */
  parts: DataParts;
  view(extent: TableExtent): PageView;
  /** For CSV and TSV, the main one first: complete even if the page shows a part. */
  tables: readonly LazyTable[];
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
    ...(request.page === 'gene_overview' ? { more: exonsOfTargets } : {}),
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
      title: [titleOfPage(data, texts), panelMark(data.panel, texts)].filter(Boolean).join(' · '),
      subtitle: subtitleOfReport(data, texts),
      facts: headerFacts(data, options, texts),
      warnings: noticesOfReport(data, texts),
      unchecked: uncheckedNotes(data, texts),
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
    const left = error instanceof FileFault ? withoutFile(data, error) : undefined;
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
  const isCautious = needs.caution && (request.page === 'report' || request.page === 'gene_overview');
  const caution = isCautious ? await cautionOf(services.regions, request.build, targets, signal) : undefined;
  const report = request.page === 'report' ? await reportParts(services, measured, needs, signal) : {};
  // Only registered samples have cohorts.
  const hasCohorts = measured.samples.some(({ sample }) => sample.registration !== undefined);
  const comparison = hasCohorts
    ? await comparisonOfReport(
        services,
        measured,
        comparedTargetsOf(request.page, needs.compared),
        report.genes,
        signal,
      )
    : undefined;
  const known = await knownSitesOf(services, measured, comparison, needs, signal);
  const found = { ...(comparison && { comparison }), ...(caution && { caution }), ...(known && { known }) };
  const compared: ReportData = { ...measured, ...found };
  const doses = request.page === 'report' ? await dosesOfSamples(services, compared, signal) : undefined;
  const data = { ...compared, ...(doses && { doses }) };
  for (const dataset of comparison?.shared ?? []) noteShared?.(dataset);
  if (comparison !== undefined && request.page === 'report' && needs.curves) {
    report.charts = await runChartsOf(services, comparison, request.build, signal);
  }
  if (report.gaps !== undefined) await compareGaps(data, report.gaps.list, signal);
  switch (request.page) {
    case 'report':
      return { data, parts: report, content: reportContent(data, report, services.settings.sex, texts) };
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
    mitochondriaOfSamples(services, data, signal),
  ]);
  return { ...known, hsMetrics, mitochondria };
}

/** One after the other, so that only one of them takes memory for its work. */
async function reportParts(
  services: MeasuringServices,
  data: ReportData,
  needs: ReportNeeds,
  signal: AbortSignal,
): Promise<ReportParts> {
  const parts: ReportParts = {};
  if (needs.curves) Object.assign(parts, await depthSpread(services.sources, data, signal));
  if (needs.genes) parts.genes = await incompleteGenes(services.measure, data, signal);
  if (needs.genes && data.panel !== undefined) {
    const requirement = await checkRequirement(services, data, data.panel, signal);
    if (requirement !== undefined) parts.requirement = requirement;
  }
  if (needs.gaps !== 'none') parts.gaps = await listedGaps(services.sources, data, needs.gaps, signal);
  if (needs.gaps !== 'none' && data.panelPlaces?.measured.length) {
    const ofPanel = ofPlaces(data, data.panelPlaces);
    parts.placeGaps = (await listedGaps(services.sources, ofPanel, needs.gaps, signal)).list;
  }
  return parts;
}

/** Of a report on genes, if sites are loaded for the build. */
async function knownSitesOf(
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

// The answer in the requested format.

interface PageDelivery {
  format: Format;
  /** The table of a CSV or TSV file; undefined for the main one. */
  table: string | undefined;
  /** The form as it was sent, and what surrounds a page. */
  sent: FormFields;
  around: PageSurroundings;
  /** The caller, and the shared datasets that are compared with; for a report that is kept. */
  by: string | undefined;
  shared: ReadonlySet<string>;
}

/** Keeps the page first, if it is to be kept. */
async function answerIn(
  { format, table, sent, around, by, shared }: PageDelivery,
  services: CoverageServices,
  request: PageRequest,
  made: MadePage,
  making: MakingOptions,
): Promise<Answer> {
  const { texts, id } = making;
  const type = mediaTypes[format];
  const kind = texts.fileNames[request.page];
  // Exports of a page, and pages that it links to, use the version that it used.
  const pinned = making.panel === undefined ? request : { ...request, panelRef: panelReference(making.panel) };
  const panelName = [making.panel && panelReference(making.panel), panelMark(making.panel, texts)]
    .filter(Boolean)
    .join(' ');
  const shown = panelName === '' ? request : { ...request, panel: panelName };
  const named = { kind, request: shown, samples: request.samples.map(({ name }) => name), made: making.now };
  const ofTable = format === 'csv' || format === 'tsv' ? { table } : {};
  const keeping = id === undefined ? undefined : { id, by, shared: [...shared], request: pinned, sent };
  const json = keeping && services.kept && (await streamOfText(await keepPage(services.kept, made, keeping, making)));
  const kept: Record<string, string> = id === undefined ? {} : { [idHeader]: id };
  const download = attachment(fileName({ ...named, ...ofTable, extension: format }));
  const headers = { ...kept, 'Content-Disposition': download };
  const caseless = (extension: string) => fileName({ ...named, request: { ...shown, caseName: undefined }, extension });
  switch (format) {
    case 'html':
      return {
        type,
        headers: kept,
        body: viewPage({ ...around, view: made.view('page'), request, fields: fieldsAgain(pinned, sent), keptAs: id }),
      };
    case 'json':
      return { type, headers, body: json ?? streamed(jsonText(reportJson(made.data, made.parts, making, texts))) };
    case 'multiqc': {
      const download = attachment(caseless('json').replace(/\.json$/, multiqcEnding));
      const body = multiqcJson(made.data, made.parts, making);
      return { type, headers: { ...kept, 'Content-Disposition': download }, body };
    }
    case 'fhir': {
      const body = streamed(await fhirText(made.data, made.parts, making, texts));
      return { type, headers: { ...kept, 'Content-Disposition': attachment(caseless('fhir.json')) }, body };
    }
    case 'csv':
    case 'tsv': {
      const rows = withHeaderColumns(withUniqueColumns(tableNamed(made.tables, table, texts)), made.data);
      return { type, headers, body: streamed(separatedLines(rows, format === 'csv' ? ',' : '\t')) };
    }
    case 'bed':
      return { type, headers, body: streamed(gapsBed(services.sources, made.data, making.signal)) };
    case 'pdf': {
      const document = paperOf(made.view('file'), texts);
      return { type, headers, body: await services.pdf.make(document, texts.language, making.now, making.signal) };
    }
  }
}

function streamed(text: AsyncGenerator<string>): Readable {
  return Readable.from(text, { objectMode: false });
}
