/** `POST /report`, `/overview`, `/gene_overview` and `/mane_overview`, and `GET …/demo` of each. */
import { z } from 'zod';
import { multipartType } from '../../../core/files.js';
import { type AnswerDeclaration, exposed, type RouteDeclaration, route } from '../../../core/plugin.js';
import { type PageName, type PageRequest, pageNames } from '../form/request.js';
import { answerPage, type ReportedCounts } from '../pages/answer.js';
import { demoFields } from '../pages/demo.js';
import { mediaTypes } from '../pages/format.js';
import type { CoverageServices } from '../services.js';
import { anyFields, formLimit, formSchema, formType, pageContent, refusalContent, sentBy } from './form-body.js';
import { documented } from './input.js';
import { withTokenCookie } from './token.js';

const summaries: Record<PageName, string> = {
  report: 'Report: sex check, coverage, and regions with low coverage',
  overview: 'Intervals with incomplete coverage',
  gene_overview: 'Coverage along one gene, by transcript and exon',
  mane_overview: 'Coverage of MANE Select and MANE Plus Clinical transcripts',
};
const operations = {
  report: 'coverageReport',
  overview: 'coverageOverview',
  gene_overview: 'geneOverview',
  mane_overview: 'maneOverview',
} as const;

const answers: Record<number, AnswerDeclaration> = {
  200: {
    description: 'The page, or its content in another format.',
    content: {
      ...pageContent,
      [mediaTypes.json]: z.union([
        z.looseObject({
          page: z.enum(pageNames),
          level: z.int(),
          samples: z.array(z.looseObject({})),
          intervals: z.array(z.looseObject({})),
        }),
        z
          .object({
            id: z.string(),
            section_name: z.string(),
            description: z.string(),
            plot_type: z.literal('table'),
            pconfig: z.object({ id: z.string(), title: z.string() }),
            headers: z.record(z.string(), z.looseObject({ title: z.string(), description: z.string() })),
            data: z.record(z.string(), z.record(z.string(), z.union([z.number(), z.string()]))),
          })
          .describe('With `format=multiqc`: custom content for MultiQC.'),
      ]),
      ...Object.fromEntries(
        [mediaTypes.csv, mediaTypes.tsv, mediaTypes.bed, mediaTypes.pdf].map((type) => [type, z.string()]),
      ),
    },
  },
  400: { description: 'The body is not a form.', content: refusalContent },
  401: { description: 'The access token is missing or invalid.', content: refusalContent },
  406: { description: 'The client accepts none of the formats.', content: refusalContent },
  413: { description: 'The form, or a file in it, is too large.', content: refusalContent },
  422: {
    description: 'A field is invalid, or does not fit the files; the page keeps the form.',
    content: refusalContent,
  },
  503: { description: 'A D4 file could not be fetched from its host.', content: refusalContent },
};

const fhirBundle = z
  .object({
    resourceType: z.literal('Bundle'),
    language: z.string(),
    type: z.literal('collection'),
    timestamp: z.string(),
    entry: z.array(z.object({ fullUrl: z.string(), resource: z.looseObject({ resourceType: z.string() }) })),
  })
  .describe('FHIR R4, by the guide HL7 Genomics Reporting (STU3): regions studied, called and uncalled.');

function answersOf(page: PageName): Record<number, AnswerDeclaration> {
  const [ok] = [answers[200]];
  if (page !== 'report' || ok === undefined) return answers;
  return { ...answers, 200: { ...ok, content: { ...ok.content, [mediaTypes.fhir]: fhirBundle } } };
}

export function reportRoute(page: PageName, services: CoverageServices): RouteDeclaration {
  const { settings, recording, forReports } = services;
  return route({
    method: 'POST',
    path: `/${page}`,
    operation: operations[page],
    class: 'report',
    summary: summaries[page],
    description:
      'Returns a page, or its content as JSON, CSV, TSV, BED or PDF: by the field `format`, else by Accept. The format `multiqc` is a table for MultiQC, ' +
      'and `fhir` (reports only) a FHIR document. If the form is invalid, the page says why and keeps the input; programs get JSON.',
    body: {
      types: [formType, multipartType],
      schema: documented(formSchema(page)),
      limit: formLimit,
      form: { file: settings.limits.upload },
      streamLimit: settings.limits.upload + formLimit,
    },
    answers: answersOf(page),
    async handle(request) {
      const sent = sentBy(request);
      const reached = await forReports(request.principal);
      const record = ({ samples }: PageRequest, counts: ReportedCounts) =>
        recording.report(request, { what: page, samples, ...counts });
      const answer = await answerPage(reached, page, sent, request, reached.offered, record);
      return withTokenCookie(answer, sent.fields, request, services);
    },
  });
}

/** The page of the demo data, if the server shows them. */
export function demoRoutes(page: PageName, services: CoverageServices): RouteDeclaration[] {
  if (!services.demo) return [];
  const declaration = route({
    method: 'GET',
    path: `/${page}/demo`,
    operation: `${operations[page]}Demo`,
    class: 'report',
    summary: `${summaries[page]} (demo data)`,
    query: anyFields,
    answers: answersOf(page),
    handle: (request) => answerPage(services, page, { fields: demoFields(page, request.input) }, request),
  });
  return exposed(declaration, services.settings.demoPages, services.access.operator);
}
