/** Registers the pages: `POST /report` and its like, their demo pages, and the page at `/coverage` that leads to them. */
import { z } from 'zod';
import { multipartType, type SmallForm } from '../../../core/files.js';
import { type AnswerDeclaration, exposed, type PluginContext, type RouteRequest, route } from '../../../core/plugin.js';
import { builds } from '../contract.js';
import { transcriptChoices } from '../domain/transcripts.js';
import type { PdfMaker } from '../exports/pdf/maker.js';
import type { Sent } from '../form/fields.js';
import { geneFields, intervalTypes, type PageName, pageNames } from '../form/request.js';
import { detail, documented } from '../routes/input.js';
import type { CoverageServices } from '../services.js';
import type { CoverageSettings } from '../settings.js';
import { answerPage, type PagesOptions } from './answer.js';
import { demoFields } from './demo.js';
import { faultBody } from './fault.js';
import { formLimit, formType } from './form-body.js';
import { mediaTypes } from './format.js';
import { registerLanding } from './register-landing.js';
import { tokenCookie } from './token.js';

const summaries: Record<PageName, string> = {
  report: 'Report of sex, depth and completeness, with the stretches that are not covered',
  overview: 'Intervals that are not covered completely',
  gene_overview: 'Depth along one gene, by transcript and exon',
  mane_overview: 'Coverage of MANE Select and MANE Plus Clinical transcripts',
};
const operations = {
  report: 'coverageReport',
  overview: 'coverageOverview',
  gene_overview: 'geneOverview',
  mane_overview: 'maneOverview',
} as const;

export function registerPages(context: PluginContext<CoverageSettings>, services: CoverageServices): void {
  const { version, baseUrl, now, demo } = context;
  const base = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');
  let maker: Promise<PdfMaker> | undefined;
  const pdf = () => {
    maker ??= import('../exports/pdf/maker.js').then(({ PdfMaker }) => new PdfMaker());
    return maker;
  };
  context.onClose(async () => (await maker)?.close());
  const options: PagesOptions = { services, version, now, base, pdf };
  const { form: access } = services.access;
  for (const page of pageNames) {
    context.errorBody(`/${page}`, faultBody(base));
    context.route(
      route({
        method: 'POST',
        path: `/${page}`,
        operation: operations[page],
        summary: summaries[page],
        description:
          'Answers a page, or the same as JSON, CSV, TSV, BED or PDF: by the field `format` or by Accept. What is wrong ' +
          'with the form is said on a page that keeps it, or as JSON.',
        ...(access === undefined ? {} : { access }),
        body: {
          types: [formType, multipartType],
          schema: documented(formSchema(page)),
          limit: formLimit,
          form: { file: services.settings.limits.upload },
          streamLimit: services.settings.limits.upload + formLimit,
        },
        answers,
        async handle(request) {
          const sent = sentBy(request);
          const answer = await answerPage(options, page, sent, request, services.sources.listed);
          const cookie = await tokenCookie(sent, request, services, baseUrl);
          return cookie === undefined ? answer : { ...answer, headers: { ...answer.headers, 'Set-Cookie': cookie } };
        },
      }),
    );
    if (!demo) continue;
    const declaration = route({
      method: 'GET',
      path: `/${page}/demo`,
      operation: `${operations[page]}Demo`,
      summary: `${summaries[page]}: the demo`,
      query: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
      answers,
      handle: (request) => answerPage(options, page, demoFields(page, request.input), request),
    });
    for (const one of exposed(declaration, services.settings.demoPages, context.operatorAccess)) context.route(one);
  }
  registerLanding(context, services, base);
  context.link('/coverage', 'Coverage reports');
}

const page = { 'text/html': z.string() };
const refused = { ...page, 'application/json': detail };
const answers: Record<number, AnswerDeclaration> = {
  200: {
    description: 'The page, or its content in another format.',
    content: {
      ...page,
      [mediaTypes.json]: z.looseObject({
        page: z.enum(pageNames),
        level: z.int(),
        samples: z.array(z.looseObject({})),
        intervals: z.array(z.looseObject({})),
      }),
      ...Object.fromEntries(
        [mediaTypes.csv, mediaTypes.tsv, mediaTypes.bed, mediaTypes.pdf].map((type) => [type, z.string()]),
      ),
    },
  },
  400: { description: 'The body is no form.', content: refused },
  401: { description: 'The access token is missing or not valid.', content: refused },
  406: { description: 'None of the formats is accepted.', content: refused },
  413: { description: 'The form, or a file in it, is too large.', content: refused },
  422: { description: 'A field is wrong, or does not fit the files; the page keeps the form.', content: refused },
  503: { description: 'The host of a D4 file does not deliver it.', content: refused },
};

function formSchema(page: PageName) {
  const list = z.string().optional();
  return z.looseObject({
    build: z.enum(builds),
    samples: z
      .string()
      .optional()
      .describe('A list of {name, coverage_file_path, case_name, analysis_date, sex} as JSON or Python text.'),
    sample_name_1: list.describe(
      'Samples as rows, counted from 1, in front of those of `samples`: sample_name_1, sample_file_1, sample_sex_1, ' +
        'sample_group_1, sample_date_1, then sample_name_2 and so on.',
    ),
    sample_file_1: list.describe('A D4 file under a configured directory, or its address.'),
    sample_sex_1: list.describe('female, male or unknown.'),
    sample_group_1: list,
    sample_date_1: list.describe('Day of the analysis, 2026-04-23.'),
    ...(page === 'gene_overview'
      ? { hgnc_gene_id: z.string().describe('HGNC id, Ensembl id or symbol.'), transcript: list }
      : Object.fromEntries(geneFields.map((name) => [name, list.describe('Any kind of id, separated by commas.')]))),
    interval_type: z.enum(intervalTypes).optional(),
    transcripts: z.enum(transcriptChoices).optional(),
    completeness_thresholds: list.describe('Depths, separated by commas.'),
    default_level: list.describe('The depth from which a base counts as covered; 10 where absent.'),
    intervals_bed_path: list.describe('For custom_intervals: a BED file under a configured directory.'),
    intervals_bed: list.describe('For custom_intervals: the lines of a BED file.'),
    panel_name: list,
    case_display_name: list,
    access_token: list,
    format: z.enum(Object.keys(mediaTypes) as [string, ...string[]]).optional(),
    table: list.describe('For CSV and TSV: which table.'),
    lang: list.describe('en or sv; where absent, by Accept-Language.'),
  });
}

/** The fields of the form; what the address says of the format comes before them. A file in a form is its BED file. */
function sentBy(request: RouteRequest<unknown, unknown, unknown>): Sent {
  const { format, table, lang } = request.query;
  const inAddress = { format, table, lang };
  if (request.bodyType !== multipartType) return { ...inAddress, ...((request.body ?? {}) as Sent) };
  const { fields, file } = request.body as SmallForm;
  return { ...inAddress, ...fields, ...(file === undefined ? {} : { intervals_bed: file.toString('utf8') }) };
}
