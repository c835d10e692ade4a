/** Responds to a request for a page in the requested format, errors included. */
import { Readable } from 'node:stream';
import { type Answer, Fault, isFault, type RouteRequest } from '../../../core/plugin.js';
import type { CoverageServices } from '../services.js';
import { type Texts, textsFor } from '../texts/texts.js';
import { requestedNames } from './data.js';
import { type FormFields, idHeader, keepField, lastOf, rowFieldOf, type SubmittedForm } from './form/fields.js';
import { fieldsAgain, type PageName, type PageRequest, parseForm } from './form/request.js';
import { namedIn } from './form/samples.js';
import { gapsBed, separated, withHeaderColumns } from './formats/delimited.js';
import { fhirText } from './formats/fhir/bundle.js';
import { attachment, type Format, fileName, formatOf, mediaTypes, Timing, wantsPage } from './formats/format.js';
import { jsonText } from './formats/json.js';
import { multiqcEnding, multiqcJson } from './formats/multiqc.js';
import { reportJson } from './formats/report-json.js';
import type { FormChoices } from './html/form.js';
import { type PageSurroundings, type Reason, refusedPage, viewPage } from './html/frame.js';
import { type KeepingPage, keepPage, requesterOf } from './kept/facts.js';
import { newId, streamOf } from './kept/kept.js';
import { type MadePage, type MakingOptions, makePage, type ReportNeeds } from './make.js';
import { type PanelRequest, panelReference, type ReportPanel, resolvePanel } from './panel.js';
import { panelMark } from './sections/panel-sections.js';
import type { LongTable } from './view.js';

type PageCall = PanelRequest & Pick<RouteRequest<unknown, unknown, unknown>, 'nonce' | 'signal'>;

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
  const texts = textsFor(lastOf(sent, 'lang'), request.headers);
  const { levels, limits, defaultIntervals, spliceBases } = services.settings;
  const around: PageSurroundings = {
    texts,
    nonce: request.nonce,
    base: services.base,
    docs: services.docs,
    levels,
    defaultIntervals,
    hasPanels: services.panels() !== undefined,
    mostSamples: limits.samples,
    keeps: services.kept,
  };
  let format: Format | undefined;
  try {
    format = formatOf(name, sent, request, texts);
    const known = await namedIn(sent, limits.samples, texts, services.named);
    const parsed = parseForm(name, form, { levels, limits, known, defaultIntervals, spliceBases }, texts);
    if ('faults' in parsed) throw inputFault(parsed.faults);
    const isKept = record !== undefined && mustKeep(services, name, sent, texts);
    const timing = new Timing();
    const panel = await panelOf(services, parsed.request, { request, texts, timing });
    const shared = new Set<string>();
    const noteShared = (dataset: string) => void shared.add(dataset);
    const making = {
      version: services.version,
      now: services.now(),
      texts,
      ...(isKept && { id: newId() }),
      timing,
      panel,
      noteShared,
      signal: request.signal,
    };
    const by = request.principal && requesterOf(request.principal);
    const wanted = { format, table: lastOf(sent, 'table'), by, shared };
    const answer = await services.queue.run(
      sizeOf(parsed.request, panel),
      () => formatted(services, parsed.request, sent, wanted, making, around),
      request.signal,
    );
    const genes = requestedNames(parsed.request, panel).length;
    await record?.(parsed.request, { genes, shared: [...shared], ...(isKept && { kept: making.id }) });
    return { ...answer, headers: { ...answer.headers, ...varied, 'Server-Timing': timing.header() } };
  } catch (error) {
    if (!isFault(error) || !(error.code in refusals)) throw error;
    const status = refusals[error.code as keyof typeof refusals];
    if (!wantsPage(format, request)) throw status === 422 ? asUnprocessable(error) : error;
    const offers = await offered?.();
    const refused = { page: name, sent, file, title: texts.form.title, reasons: reasonsOf(error, texts), offers };
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

/** Throws `unprocessable` if the form asks for a report to be kept, and none is. */
function mustKeep({ kept }: CoverageServices, name: PageName, sent: FormFields, texts: Texts): boolean {
  const asked = lastOf(sent, keepField);
  if (asked !== 'true') return name === 'report' && kept?.all === true;
  if (kept !== undefined) return true;
  throw inputFault([{ path: keepField, message: texts.kept.off }]);
}

async function panelOf(
  { panels, panelReader, settings: { limits } }: CoverageServices,
  { panelRef: reference, panelConfidence: confidence, genes }: PageRequest,
  { request, texts, timing }: { request: PageCall; texts: Texts; timing: Timing },
): Promise<ReportPanel | undefined> {
  if (reference === undefined) return undefined;
  return timing.of('panel', async () => {
    const caller = await panelReader(request, reference);
    return resolvePanel(panels, { reference, confidence, caller, listed: genes.length, most: limits.genes }, texts);
  });
}

/** Bytes of a typical line of a BED file. */
const bedLine = 25;
/** Lines that a BED file on the server counts as before it is read. */
const unreadLines = 1000;

/** Intervals × samples of a request, as far as they are known before anything is looked up. */
function sizeOf(request: PageRequest, panel: ReportPanel | undefined): number {
  const { bed, samples, type } = request;
  if (type !== 'custom_intervals' || bed === undefined) return requestedNames(request, panel).length * samples.length;
  if ('path' in bed) return unreadLines * samples.length;
  const { length } = 'text' in bed ? bed.text : bed.file;
  return Math.ceil(length / bedLine) * samples.length;
}

const varied = { Vary: 'Accept, Accept-Language' };

/** Faults that a user can correct or wait for, with the status of the page that explains them. */
const refusals = { invalid: 422, unprocessable: 422, 'not-found': 422, 'too-large': 413, unavailable: 503 } as const;

function asUnprocessable(fault: Fault): Fault {
  return fault.code === 'unprocessable'
    ? fault
    : new Fault('unprocessable', fault.public, { fields: [...fault.fields], cause: fault });
}

function inputFault(faults: readonly { path: string; message: string }[]): Fault {
  const fields = faults.slice(0, 100);
  const named = fields.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
  const more = faults.length > 5 ? `; and ${faults.length - 5} more` : '';
  return new Fault('unprocessable', named.join('; ') + more, { fields });
}

function reasonsOf({ public: message, fields }: Fault, texts: Texts): Reason[] {
  if (fields.length === 0) return [{ label: '', message }];
  return fields.map(({ path, message }) => {
    const row = rowFieldOf(path);
    if (row === undefined) return { label: labelOf(path, texts), message };
    return { label: texts.form.rowField(texts.form.row[row.field], row.place), message, field: path };
  });
}

/** The label of a field, followed by the position of the wrong value. */
function labelOf(path: string, texts: Texts): string {
  const { form } = texts;
  const [field = '', place, ...rest] = path.split('.');
  // Messages about a sample begin with its name.
  if (field === 'samples') return form.samples;
  const labels: Readonly<Record<string, string>> = {
    build: form.build,
    default_level: form.level,
    completeness_thresholds: form.thresholds,
    interval_type: form.type,
    transcripts: form.transcripts,
    panel: texts.panels.panel,
    panel_confidence: texts.panels.confidence,
    [keepField]: texts.kept.field,
    panel_name: form.panel,
    case_display_name: form.caseName,
    hgnc_gene_ids: form.genes,
    hgnc_gene_id: form.gene,
    intervals_bed_path: form.bedPath,
  };
  const label = labels[field] ?? field;
  return place === undefined ? label : `${label} ${Number(place) + 1}${rest.length > 0 ? `, ${rest.join('.')}` : ''}`;
}

interface PageFormat {
  format: Format;
  table: string | undefined;
  /** Who asks, and the shared datasets that are compared with; for a report that is kept. */
  by: string | undefined;
  shared: ReadonlySet<string>;
}

async function formatted(
  services: CoverageServices,
  request: PageRequest,
  sent: FormFields,
  { format, table, by, shared }: PageFormat,
  making: MakingOptions,
  around: PageSurroundings,
): Promise<Answer> {
  const { texts, timing, id } = making;
  // What is kept is all that the JSON has.
  const needs = id === undefined ? needsOf(format, table) : needsOf('json', undefined);
  const made = await makePage(services, request, needs, making);
  return timing.of('page', async (): Promise<Answer> => {
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
    const json = keeping && (await keptJson(services, made, keeping, making));
    const kept: Record<string, string> = id === undefined ? {} : { [idHeader]: id };
    const download = attachment(fileName({ ...named, ...ofTable, extension: format }));
    const headers = { ...kept, 'Content-Disposition': download };
    switch (format) {
      case 'html':
        return {
          type,
          headers: kept,
          body: viewPage({
            ...around,
            view: made.view('page'),
            request,
            fields: fieldsAgain(pinned, sent),
            keptAs: id,
          }),
        };
      case 'json':
        return {
          type,
          headers,
          body: json ?? streamed(jsonText(reportJson(made.data, made.parts, making, texts))),
        };
      case 'multiqc': {
        const { caseName: _, ...caseless } = shown;
        const plain = fileName({ ...named, request: caseless, extension: 'json' });
        const disposition = attachment(plain.replace(/\.json$/, multiqcEnding));
        return {
          type,
          headers: { ...kept, 'Content-Disposition': disposition },
          body: multiqcJson(made.data, made.parts, making),
        };
      }
      case 'fhir': {
        const { caseName: _, ...caseless } = shown;
        const disposition = attachment(fileName({ ...named, request: caseless, extension: 'fhir.json' }));
        const body = streamed(await fhirText(made.data, made.parts, making, texts));
        return { type, headers: { ...kept, 'Content-Disposition': disposition }, body };
      }
      case 'csv':
      case 'tsv':
        return {
          type,
          headers,
          body: streamed(
            separated(withHeaderColumns(tableOf(made, table, texts), made.data), format === 'csv' ? ',' : '\t'),
          ),
        };
      case 'bed':
        return { type, headers, body: streamed(gapsBed(services.sources, made.data, making.signal)) };
      case 'pdf': {
        const maker = await services.pdf();
        return { type, headers, body: await maker.make(made.view('file'), texts, making.now, making.signal) };
      }
    }
  });
}

/** Keeps the page, and returns its JSON text as it is kept. */
async function keptJson(
  { kept }: CoverageServices,
  made: MadePage,
  keeping: KeepingPage,
  making: MakingOptions,
): Promise<Readable> {
  if (kept === undefined) throw new Error('A report was to be kept where none is');
  return streamOf(await keepPage(kept, made, keeping, making));
}

const plain: ReportNeeds = {
  ...{ curves: false, genes: false, sexDepths: false },
  ...{ gaps: 'none', compared: 'none', sites: 'none' },
};

/** The parts of a report that the format needs. */
function needsOf(format: Format, table: string | undefined): ReportNeeds {
  switch (format) {
    case 'html':
    case 'pdf':
      return { ...plain, curves: true, genes: true, gaps: 'listed', compared: 'incomplete', sites: 'listed' };
    case 'fhir':
      return { ...plain, genes: true, gaps: 'all', sites: 'listed' };
    case 'json':
      return { curves: true, genes: true, gaps: 'all', compared: 'all', sexDepths: true, sites: 'all' };
    case 'csv':
    case 'tsv':
      return {
        ...plain,
        curves: table === 'curve' || table === 'uniformity' || table === 'hs_metrics',
        genes: table === 'incomplete_genes' || table === 'requirement',
        gaps: table === 'gaps' ? 'all' : 'none',
        compared: 'all',
        sites: table === 'sites' || table === 'known_sites' ? 'all' : 'none',
      };
    case 'multiqc':
    case 'bed': // the export finds the gaps while it is sent
      return { ...plain, curves: format === 'multiqc' };
  }
}

function streamed(text: AsyncGenerator<string>): Readable {
  return Readable.from(text, { objectMode: false });
}

/** The requested table, or the main one. */
function tableOf({ tables }: MadePage, name: string | undefined, texts: Texts): LongTable {
  const found = name === undefined ? tables[0] : tables.find((table) => table.name === name);
  if (found !== undefined) return found.make();
  const message = texts.form.oneOf(tables.map((table) => table.name));
  throw new Fault('unprocessable', `table: ${message}`, { fields: [{ path: 'table', message }] });
}
