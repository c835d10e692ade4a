/**
 * `POST /report`, `/overview`, `/gene_overview` and `/mane_overview`, `GET …/demo` of each with the form that it stands for,
 * and `/coverage`: the start page (the demo, the loaded gene sets, and a form for a new report).
 */
import { basename } from 'node:path';
import { z } from 'zod';
import { multipartType } from '../../../core/files.js';
import {
  type Answer,
  type AnswerDeclaration,
  exposed,
  html,
  type RouteDeclaration,
  type RouteRequest,
  route,
} from '../../../core/plugin.js';
import type { IntervalSet } from '../contract.js';
import { demoBuild, demoGenes, demoSamples } from '../demo/demo.js';
import { type FormFields, lastOfField, rowField, sampleRowsOf } from '../report/form/fields.js';
import { defaultType, type PageName, type PageRequest, pageNames } from '../report/form/request.js';
import { listAsRows, namedIn } from '../report/form/samples.js';
import { mediaTypes } from '../report/formats/format.js';
import { addSample, askForm, type FormChoices } from '../report/html/form.js';
import { footer, framedPage, type PageSurroundings, surroundingsOfRequest } from '../report/html/page.js';
import { panelField } from '../report/panel.js';
import { answerPage, type ReportedCounts } from '../report/report.js';
import { setText } from '../report/sections/header.js';
import type { CoverageServices } from '../services.js';
import { type Texts, textsFor } from '../texts/texts.js';
import {
  anyFields,
  formLimit,
  formSchema,
  formType,
  pageContent,
  reachedBy,
  refusalContent,
  sentBy,
  withTokenCookie,
} from './form-body.js';
import { documentedSchema } from './input.js';

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
      schema: documentedSchema(formSchema(page)),
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

// `/coverage`: the start page, and its form with one more row for a sample.

interface LandingForm {
  sent: FormFields;
  /** What the client may choose from; omitted if it may not see which files there are. */
  reached?: Pick<CoverageServices, 'offered'> | undefined;
  added?: number;
}

export function landingRoutes(services: CoverageServices): RouteDeclaration[] {
  const { intervals, demo } = services;
  const { limits } = services.settings;

  const answer = async (
    { nonce, signal }: Pick<RouteRequest<unknown, unknown, unknown>, 'nonce' | 'signal'>,
    texts: Texts,
    { sent, reached, added }: LandingForm,
  ): Promise<Answer> => {
    const [sets, offers] = await Promise.all([intervals.sets({ signal }), reached?.offered()]);
    const body = landingPage({ ...surroundingsOfRequest(services, texts, nonce), sets, demo, sent, offers, added });
    return { type: 'text/html', headers: { Vary: 'Accept-Language' }, body };
  };

  return [
    route({
      method: 'GET',
      path: '/coverage',
      operation: 'coveragePages',
      summary: 'Start page: the intervals that are loaded, and a form for a new report',
      query: anyFields,
      answers: { 200: { description: 'The page.', content: pageContent } },
      async handle(request) {
        const texts = textsFor(lastOfField(request.input, 'lang'), request.headers);
        const filled = demo ? listAsRows(demoFields('report', {}), limits.samples, texts) : {};
        // Links name a panel; a sample or file never stands in a URL.
        const sent = { interval_type: defaultType, ...filled, [panelField]: lastOfField(request.input, panelField) };
        return answer(request, texts, { sent, reached: await reachedBy(services, request) });
      },
    }),
    route({
      method: 'POST',
      path: '/coverage',
      operation: 'coverageForm',
      summary: 'The form for a report, as it was filled in, with one more row for a sample',
      // By POST, so that no URL contains the name of a sample or a file.
      body: { types: [formType], schema: anyFields, limit: formLimit },
      answers: {
        200: { description: 'The page.', content: pageContent },
        400: { description: 'The body is not a form.', content: refusalContent },
        413: { description: 'The form is too large.', content: refusalContent },
      },
      async handle(request) {
        const { body } = request;
        const reached = await reachedBy(services, request, body);
        const texts = textsFor(lastOfField(body, 'lang'), request.headers);
        const known = reached && (await namedIn(body, limits.samples, texts, reached.named));
        const rows = listAsRows(body, limits.samples, texts, known);
        const answered = await answer(request, texts, { reached, ...withRow(rows, limits.samples) });
        return reached ? withTokenCookie(answered, body, request, services) : answered;
      },
    }),
  ];
}

/** Adds an empty row, if its button was pressed and the form may have more rows. */
function withRow(sent: FormFields, most: number): { sent: FormFields; added?: number } {
  const rows = sampleRowsOf(sent);
  if (lastOfField(sent, addSample) === undefined || rows.length >= most) return { sent };
  const place = (rows.at(-1)?.place ?? 0) + 1;
  return { sent: { ...sent, [rowField('name', place)]: '' }, added: place };
}

// The start page as HTML.

interface LandingPage extends PageSurroundings {
  sets: readonly IntervalSet[];
  demo: boolean;
  sent: FormFields;
  /** The files and samples to choose from; omitted if they may not be shown. */
  offers: FormChoices | undefined;
  /** The row that was just added. */
  added?: number | undefined;
}

function landingPage({ sets, demo, sent, offers, added, ...around }: LandingPage): string {
  const { texts, base } = around;
  const { landing } = texts;
  return framedPage(
    around,
    landing.title,
    html`<header class="top"><div><h1>${landing.title}</h1><p class="soft">${landing.intro}</p></div></header>
<main id="content">
<section class="block"><h2>${landing.demos}</h2>
${
  demo
    ? html`<p class="soft">${landing.demoText}</p><ul class="links">${pageNames.map((name) => html`<li><a href="${base}/${name}/demo">${texts.pages[name]}</a></li>\n`)}</ul>`
    : html`<p class="soft">${landing.noDemo}</p>`
}</section>
<section class="block"><h2>${landing.sets}</h2>
${sets.length === 0 ? html`<p class="soft">${landing.noSets}</p>` : html`<dl class="facts loaded">${sets.map(factOf)}</dl>`}</section>
<section class="block"><h2>${landing.ask}</h2>
${askForm({ ...around, page: 'report', sent, offers, added, open: true })}</section>
</main>
${footer(undefined, around, false)}`,
  );

  function factOf(set: IntervalSet) {
    const kind = texts.sets[set.kind];
    return html`<div><dt>${set.build} ${kind}</dt><dd>${landing.rows(set.rows)}, ${setText(kind, set, texts)}</dd></div>\n`;
  }
}

// The requests behind the demo pages: a synthetic trio and the demo genes.

/** Fields that the URL of a demo page may change. */
const changeable = [
  'lang',
  'format',
  'table',
  'default_level',
  'interval_type',
  'transcripts',
  'transcript',
  'panel',
  'panel_confidence',
  'hgnc_gene_id',
  'filter',
  'sort',
  'part',
];

function demoFields(page: PageName, query: FormFields): FormFields {
  const given = Object.fromEntries(
    changeable.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])),
  );
  const samples = demoSamples.map(({ name, sex, coverageFile }) => ({
    name,
    // Without its directory: the demo folder is one of the roots.
    coverage_file_path: basename(coverageFile),
    case_name: 'demo_trio',
    analysis_date: '2026-04-23',
    sex,
  }));
  return {
    build: demoBuild,
    samples: JSON.stringify(samples),
    interval_type: defaultType,
    default_level: '20',
    completeness_thresholds: '10,15,20,30,50',
    case_display_name: 'Demo trio',
    ...demoGenesOf(page, given),
    ...given,
  };
}

/** A panel that the URL names brings its genes. */
function demoGenesOf(page: PageName, given: FormFields): FormFields {
  if (page === 'gene_overview') return { panel_name: 'Demo panel', hgnc_gene_id: 'MTHFR' };
  if (given.panel !== undefined) return {};
  return { panel_name: 'Demo panel', hgnc_gene_ids: [...demoGenes, 'LAMA1', 'PIPPI6'].join(',') };
}
