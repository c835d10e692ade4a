/** The forms of the pages as request bodies: their fields, how they are read, and access tokens in them or in a cookie. */
import { z } from 'zod';
import { multipartType, naming, type SmallForm } from '../../../core/files.js';
import { type Answer, type FaultCode, isFault, type RequestHead, type RouteRequest } from '../../../core/plugin.js';
import { builds } from '../contract.js';
import { mtMethods } from '../measure/copies.js';
import { transcriptChoices } from '../measure/transcripts.js';
import type { FormFields, SubmittedForm } from '../report/form/fields.js';
import { defaultType, geneFields, intervalTypes, type PageName } from '../report/form/request.js';
import { formatsOfPage } from '../report/formats/format.js';
import { confidenceField, panelConfidences, panelField } from '../report/panel.js';
import { type CoverageServices, tokenField } from '../services.js';
import { ticketCookie, ticketInBody } from './access/ticket-access.js';
import { detail, namesCoverageFile, namesFile } from './input.js';

export const formType = 'application/x-www-form-urlencoded';
/** Bytes of a form: thousands of genes, and the lines of a BED file of some size. */
export const formLimit = 4 * 2 ** 20;

/** Fields as they are sent. */
export const anyFields = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** A page as a response body. */
export const pageContent = { 'text/html': z.string() };
/** An error response of a page: a page for browsers, JSON for programs. */
export const refusalContent = { ...pageContent, 'application/json': detail };

export function formSchema(page: PageName) {
  const list = z.string().optional();
  return z.looseObject({
    build: z.enum(builds),
    samples: z
      .string()
      .optional()
      .meta(
        naming(
          ['path', 'url', 'object'],
          'A list of {name, coverage_file_path, unique_file_path, unique_mapping_quality, case_name, analysis_date, sex} as JSON or a Python literal; an entry may have ' +
            'the id of a registered sample, sample_id, instead of coverage_file_path and of what the registration states.',
        ),
      ),
    sample_name_1: list.describe(
      'Samples as numbered rows, which come before those of `samples`: sample_name_1, sample_file_1, sample_sex_1, ' +
        'sample_group_1, sample_date_1, then sample_name_2 and so on.',
    ),
    sample_id_1: list.describe('The id of a registered sample, instead of sample_file_1.'),
    sample_file_1: list.meta(namesCoverageFile()),
    unique_file_1: list.meta(namesCoverageFile('Of reads that map uniquely: beside sample_file_1. ')),
    unique_mapping_quality_1: list.describe('The least mapping quality of the reads of unique_file_1.'),
    sample_sex_1: list.describe('female, male or unknown.'),
    sample_group_1: list,
    sample_date_1: list.describe('Day of the analysis, 2026-04-23.'),
    ...(page === 'gene_overview'
      ? { hgnc_gene_id: z.string().describe('HGNC id, Ensembl id or symbol.'), transcript: list }
      : Object.fromEntries(
          geneFields.map((name) => [name, list.describe('HGNC ids, Ensembl ids or symbols, separated by commas.')]),
        )),
    interval_type: z
      .enum([...intervalTypes, defaultType])
      .optional()
      .describe(
        'coding: coding bases, with splice bases where a coding segment ends at an intron. default: what people get by default (coding ' +
          'bases, or exons if the loaded exons do not state these), unless the server is set to another.',
      ),
    transcripts: z.enum(transcriptChoices).optional(),
    completeness_thresholds: list.describe('Coverage thresholds (depths), separated by commas.'),
    default_level: list.describe(
      'The coverage threshold: a base of at least this depth counts as covered; 10 if omitted.',
    ),
    intervals_bed_path: list.meta(namesFile('For custom_intervals: a BED file under a configured directory.')),
    intervals_bed: list.describe('For custom_intervals: the lines of a BED file, instead of a path.'),
    intervals_bed_name: list.describe('What reports call these lines; a file at a path has its own name.'),
    intervals_bed_path_2: list.meta(
      namesFile('A second BED file, whose lines follow; then intervals_bed_path_3 and so on.'),
    ),
    intervals_bed_2: list.describe('Its lines instead: those of all but the first have 256 kB at most together.'),
    intervals_bed_name_2: list,
    [panelField]: list.describe(
      'A gene panel, ID@VERSION, or ID for the latest signed-off version: its genes are reported before those that are listed.',
    ),
    [confidenceField]: z
      .enum(panelConfidences)
      .optional()
      .describe('Genes of the panel: all, amber (and green and unrated), or green (and unrated); all if omitted.'),
    panel_name: list,
    case_display_name: list,
    pool_assays: list.describe(
      'true compares registered samples with those of all assays; by default with those of their own assay.',
    ),
    print_aneuploidy: list.describe(
      'true also prints aneuploidies of the sex chromosomes (PDF, paper, MultiQC), for callers with the right to see them.',
    ),
    hs_metrics_1: list.describe(
      'The text of a file of Picard CollectHsMetrics of the first sample, shown beside; hs_metrics_2 of the second, and so on.',
    ),
    hs_metrics_path_1: list.meta(namesFile('The same as a path under a configured directory.')),
    mt_method: z
      .enum(mtMethods)
      .optional()
      .describe(
        'How copies of the mitochondrial genome are counted: median (2 × mean MT / median of autosomal bins), or scout14 (2 × mean MT / mean of chromosome 14), as Scout does; median if omitted.',
      ),
    access_token: list,
    ticket: list.describe('A ticket for these samples, instead of a token; see POST /coverage/tickets.'),
    format: z.enum(formatsOfPage(page) as readonly [string, ...string[]]).optional(),
    table: list.describe('For CSV and TSV: the name of the table; if omitted, the first.'),
    lang: list.describe('en or sv; if omitted, by Accept-Language.'),
  });
}

/** The fields of the form, after format, table and language of the address. A file in the form is its BED file. */
export function sentBy(request: RouteRequest<unknown, unknown, unknown>): SubmittedForm {
  const { format, table, lang } = request.query;
  const inAddress = { format, table, lang };
  if (request.bodyType !== multipartType) return { fields: { ...inAddress, ...((request.body ?? {}) as FormFields) } };
  const { fields, file } = request.body as SmallForm;
  return { fields: { ...inAddress, ...fields }, file };
}

// Access tokens in a form or a cookie.

/**
 * Adds a cookie that keeps a valid token of the form for the page's own buttons. It is out of reach of scripts and other
 * sites, and not in the page, which may be saved and forwarded.
 */
export async function withTokenCookie(
  answer: Answer,
  sent: FormFields,
  head: RequestHead,
  services: Pick<CoverageServices, 'access' | 'settings' | 'baseUrl' | 'tickets' | 'now'>,
): Promise<Answer> {
  const cookie = ticketCookieFor(sent, services) ?? (await tokenCookie(sent, head, services));
  return cookie === undefined ? answer : { ...answer, headers: { ...answer.headers, 'Set-Cookie': cookie } };
}

/**
 * The services that a request to a page that is open to every client may see; undefined if it brings no valid token, or if the
 * keys of the identity provider cannot be fetched: the page itself needs no token. `sent` is its form.
 */
export async function reachedBy(
  { access: { form: access }, forReports }: Pick<CoverageServices, 'access' | 'forReports'>,
  head: RequestHead,
  sent?: FormFields,
): Promise<CoverageServices | undefined> {
  try {
    const principal = (await access?.check(head)) ?? (await access?.checkBody?.(head, sent));
    if (access !== undefined && principal === undefined) return undefined;
    return await forReports(principal);
  } catch (error) {
    if (isFault(error) && silent.includes(error.code)) return undefined;
    throw error;
  }
}

const silent: readonly FaultCode[] = ['unauthenticated', 'forbidden', 'unavailable'];

/** A valid ticket of the form, for as long as it is valid. */
function ticketCookieFor(
  sent: FormFields,
  { tickets, baseUrl, now }: Pick<CoverageServices, 'tickets' | 'baseUrl' | 'now'>,
): string | undefined {
  const ticket = ticketInBody(sent);
  const holder = ticket === undefined ? undefined : tickets?.holderOf(ticket);
  const admission = holder && tickets?.admissionOf(holder);
  if (admission === undefined) return undefined;
  const seconds = Math.ceil((admission.expires - now().getTime()) / 1000);
  const secure = baseUrl?.startsWith('http:') ? '' : '; Secure';
  return `${ticketCookie}=${ticket}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`;
}

async function tokenCookie(
  sent: FormFields,
  head: RequestHead,
  { access, settings, baseUrl }: Pick<CoverageServices, 'access' | 'settings' | 'baseUrl'>,
): Promise<string | undefined> {
  const name = [tokenField, ...settings.tokenFields].find((one) => Object.hasOwn(sent, one) && sent[one] !== '');
  const token = name === undefined ? undefined : sent[name];
  if (name === undefined || typeof token !== 'string' || !/^[\w.-]+$/.test(token)) return undefined;
  if (access.form?.checkBody === undefined) return undefined;
  try {
    // If a cookie was accepted, the form's token has not been checked yet.
    await access.form.checkBody(head, { [name]: token });
  } catch (error) {
    if (isFault(error) && ['unauthenticated', 'forbidden'].includes(error.code)) return undefined;
    throw error;
  }
  const secure = baseUrl?.startsWith('http:') ? '' : '; Secure';
  return `${name}=${token}; HttpOnly; SameSite=Strict; Path=/${secure}`;
}
