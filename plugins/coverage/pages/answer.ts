/** Answers one request for a page in the format that it wants, refusals included. */
import { Readable } from 'node:stream';
import type { FileList } from '../../../core/files.js';
import { type Answer, Fault, isFault, type RouteRequest } from '../../../core/plugin.js';
import { gapsBed } from '../exports/bed.js';
import { separated } from '../exports/csv.js';
import { attachment, fileName } from '../exports/file-name.js';
import { jsonText } from '../exports/json-text.js';
import { reportJson } from '../exports/report-json.js';
import { lastOf, type Sent } from '../form/fields.js';
import { fieldsAgain, type PageName, type PageRequest, parseForm } from '../form/request.js';
import { rowFieldOf } from '../form/rows.js';
import { Timing } from '../report/timing.js';
import type { LongTable } from '../report/view.js';
import type { CoverageServices } from '../services.js';
import { type Texts, textsFor } from '../texts/texts.js';
import { type Format, formatOf, mediaTypes, wantsPage } from './format.js';
import { type Reason, refusedPage, type Surroundings, viewPage } from './frame.js';
import { type MadePage, type MakingOptions, makePage } from './view.js';

type Request = Pick<RouteRequest<unknown, unknown, unknown>, 'headers' | 'nonce' | 'signal'>;

/** `listFiles` is called for a form that is shown again; it is omitted if the client may not see which files there are. */
export async function answerPage(
  services: CoverageServices,
  name: PageName,
  sent: Sent,
  request: Request,
  listFiles?: () => Promise<FileList>,
): Promise<Answer> {
  const texts = textsFor(lastOf(sent, 'lang'), request.headers);
  const { levels, limits } = services.settings;
  const around: Surroundings = {
    texts,
    nonce: request.nonce,
    base: services.base,
    levels,
    mostSamples: limits.samples,
  };
  let format: Format | undefined;
  try {
    format = formatOf(sent, request, texts);
    const parsed = parseForm(name, sent, { levels, limits }, texts);
    if ('faults' in parsed) throw inputFault(parsed.faults);
    const timing = new Timing();
    const making = { version: services.version, now: services.now(), texts, timing, signal: request.signal };
    const wanted = { format, table: lastOf(sent, 'table') };
    const answer = await services.queue.run(
      sizeOf(parsed.request),
      () => formatted(services, parsed.request, sent, wanted, making, around),
      request.signal,
    );
    return { ...answer, headers: { ...answer.headers, ...varied, 'Server-Timing': timing.header() } };
  } catch (error) {
    if (!isFault(error) || !(error.code in refusals)) throw error;
    const status = refusals[error.code as keyof typeof refusals];
    if (!wantsPage(format, request)) throw status === 422 ? asUnprocessable(error) : error;
    const files = await listFiles?.();
    const refused = { page: name, sent, title: texts.form.title, reasons: reasonsOf(error, texts), files };
    return { status, type: mediaTypes.html, headers: varied, body: refusedPage({ ...around, ...refused }) };
  }
}

/** Bytes of a usual line of a BED file. */
const bedLine = 25;

/** What a request will measure, as far as it tells before anything is looked up: intervals times samples. */
function sizeOf({ genes, bed, samples, type }: PageRequest): number {
  if (type !== 'custom_intervals' || bed === undefined) return genes.length * samples.length;
  // Of a file on the server nothing is known yet: it waits as a panel of some size does.
  const lines = 'text' in bed ? Math.ceil(bed.text.length / bedLine) : 1000;
  return lines * samples.length;
}

const varied = { Vary: 'Accept, Accept-Language' };

/** Faults that a person can put right, or wait for, with the status of the page that says so. */
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

/** A field as its label calls it. */
function labelOf(path: string, { form }: Texts): string {
  const [field = '', place, ...rest] = path.split('.');
  // What is said of a sample begins with its name.
  if (field === 'samples') return form.samples;
  const labels: Readonly<Record<string, string>> = {
    build: form.build,
    default_level: form.level,
    completeness_thresholds: form.thresholds,
    interval_type: form.type,
    transcripts: form.transcripts,
    panel_name: form.panel,
    case_display_name: form.caseName,
    hgnc_gene_ids: form.genes,
    hgnc_gene_id: form.gene,
    intervals_bed_path: form.bedPath,
  };
  const label = labels[field] ?? field;
  return place === undefined ? label : `${label} ${Number(place) + 1}${rest.length > 0 ? `, ${rest.join('.')}` : ''}`;
}

interface Wanted {
  format: Format;
  table: string | undefined;
}

async function formatted(
  services: CoverageServices,
  request: PageRequest,
  sent: Sent,
  { format, table }: Wanted,
  making: MakingOptions,
  around: Surroundings,
): Promise<Answer> {
  const { texts, timing } = making;
  const isTable = format === 'csv' || format === 'tsv';
  const made = await makePage(
    services,
    request,
    { allGaps: format === 'json' || (isTable && table === 'gaps') },
    making,
  );
  return timing.of('page', async (): Promise<Answer> => {
    const type = mediaTypes[format];
    const kind = texts.fileNames[request.page];
    const named = { kind, request, samples: request.samples.map(({ name }) => name), made: making.now };
    const ofTable = isTable ? { table } : {};
    const headers = { 'Content-Disposition': attachment(fileName({ ...named, ...ofTable, extension: format })) };
    switch (format) {
      case 'html':
        return { type, body: viewPage({ ...around, view: made.view(), request, fields: fieldsAgain(request, sent) }) };
      case 'json':
        return { type, headers, body: streamed(jsonText(reportJson(made.data, made.parts, making))) };
      case 'csv':
      case 'tsv':
        return { type, headers, body: streamed(separated(tableOf(made, table, texts), format === 'csv' ? ',' : '\t')) };
      case 'bed':
        return {
          type,
          headers,
          body: streamed(gapsBed(services, made.data, making.signal)),
        };
      case 'pdf': {
        const maker = await services.pdf();
        return { type, headers, body: await maker.make(made.view({ whole: true }), texts, making.now, making.signal) };
      }
    }
  });
}

function streamed(text: AsyncGenerator<string>): Readable {
  return Readable.from(text, { objectMode: false });
}

/** The named table, or the main one. */
function tableOf(made: MadePage, name: string | undefined, texts: Texts): LongTable {
  const { tables } = made.view();
  const found = name === undefined ? tables[0] : tables.find((table) => table.name === name);
  if (found !== undefined) return found.make();
  const message = texts.form.oneOf(tables.map((table) => table.name));
  throw new Fault('unprocessable', `table: ${message}`, { fields: [{ path: 'table', message }] });
}
