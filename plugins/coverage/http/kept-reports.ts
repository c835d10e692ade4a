/** `/coverage/reports`: kept reports, listed and opened. */
import { z } from 'zod';
import {
  type Answer,
  Fault,
  preferred,
  type RouteDeclaration,
  type RouteRequest,
  route,
} from '../../../core/plugin.js';
import type { HoldingVersion } from '../../services/panels.js';
import { type FormFields, fieldFault, lastOfField, longestName, reportsPath } from '../report/form/fields.js';
import { attachment, fileName, mediaTypes } from '../report/formats/format.js';
import { type PageSurroundings, surroundingsOfRequest } from '../report/html/page.js';
import type { KeptReport } from '../report/kept/contract.js';
import type { KeptReports } from '../report/kept/kept.js';
import {
  keptListPage,
  keptPage,
  newerNotice,
  newerPanel,
  type OpenedReport,
  openedView,
} from '../report/kept/pages.js';
import {
  isPlace,
  openableReport,
  type ReportHits,
  type ReportSearch,
  search,
  searchWords,
} from '../report/kept/search.js';
import type { PanelRequest } from '../report/panel.js';
import { paperOf } from '../report/view.js';
import type { CoverageServices } from '../services.js';
import { textsFor, textsOfLanguage } from '../texts/texts.js';
import { anyFields, formLimit, formType, pageContent, refusalContent } from './form-body.js';
import { checkedInput, documentedSchema, refusal } from './input.js';

/** Reports on one page of the list. */
const pageSize = 100;

type KeptReportCall = Pick<RouteRequest<unknown, unknown, unknown>, 'id' | 'nonce' | 'signal'> & PanelRequest;

const name = z.string().trim().max(longestName).optional();
const listQuery = z.object({
  gene: name.describe('Only reports that measured this gene, could not measure it, or have it in their panel.'),
  panel: name.describe('Only reports with this panel: ID, ID@VERSION or its name.'),
  sample: name.describe('Only by POST: names of samples are in no URL.'),
  after: z
    .string()
    .refine((text) => text === '' || isPlace(text), 'is not `next` of a page')
    .optional()
    .describe('`next` of the page before.'),
  lang: z.string().optional(),
});

const openFormats = ['html', 'json', 'pdf', 'facts'] as const;
const openQuery = z.object({
  format: z
    .enum(openFormats)
    .optional()
    .describe('html, pdf, json (as it was sent) or facts (what is recorded of it, and a newer panel version).'),
});

const listedReport = z.looseObject({ id: z.string(), made: z.iso.datetime(), samples: z.array(z.looseObject({})) });

/** The list, the search by POST, and one report. */
export function keptRoutes(
  services: CoverageServices,
  kept: KeptReports,
): [list: RouteDeclaration, find: RouteDeclaration, open: RouteDeclaration] {
  const { forReports, recording, intervals, panels, panelReader, version, now } = services;
  const { repository } = kept;
  const around = ({ nonce }: Pick<KeptReportCall, 'nonce'>, texts: PageSurroundings['texts']) =>
    surroundingsOfRequest(services, texts, nonce);

  async function versionsWith(
    gene: string,
    request: KeptReportCall,
  ): Promise<readonly HoldingVersion[] | 'uncertain' | undefined> {
    const service = panels();
    return service && ((await service.holding(gene, await panelReader(request))) ?? 'uncertain');
  }

  async function listed(request: KeptReportCall, sent: unknown): Promise<Answer> {
    const { after, lang, ...asked } = checkedInput(listQuery, sent);
    const { headers, signal, principal } = request;
    const asks: ReportSearch = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== ''));
    const reached = await forReports(principal);
    const { words, isKnown } = await searchWords({ intervals, repository, panels: panels() }, asks, signal);
    const place = after === '' ? undefined : after;
    const found = await search({ repository, reached }, words, { after: place, limit: pageSize }, signal);
    const samples = found.reports.flatMap(({ report }) => report.facts.samples);
    await recording.shown(request, {
      ...{ action: 'samples', what: 'kept_reports' },
      samples: [...new Set(samples.map((one) => one.registration ?? one.name))],
    });
    const versions = asks.gene === undefined ? undefined : await versionsWith(asks.gene, request);
    const vary = { Vary: 'Accept, Accept-Language' };
    if (preferred(headers, [mediaTypes.html, mediaTypes.json]) === mediaTypes.json) {
      return { headers: vary, body: listJson(found, versions) };
    }
    const shown = { ...around(request, textsFor(lang, headers)), asked: asks, found, isKnown, versions };
    return { type: mediaTypes.html, headers: vary, body: keptListPage(shown) };
  }

  /** One fault for reports that do not exist and for those that the caller may not open. */
  async function opened(id: string, { principal, signal }: KeptReportCall): Promise<KeptReport> {
    const reached = await forReports(principal);
    const own = await openableReport(reached, repository, id, signal);
    if (own === undefined) throw absent();
    return own;
  }

  async function answered(
    report: KeptReport,
    format: (typeof openFormats)[number],
    request: KeptReportCall,
  ): Promise<Answer> {
    const { id, made, facts } = report;
    const texts = textsOfLanguage(facts.language);
    const headers = { 'Content-Disposition': attachment(nameOfDownload(report, format === 'pdf' ? 'pdf' : 'json')) };
    if (format === 'json') {
      const body = await kept.json(report);
      if (body === undefined) throw absent();
      return { type: mediaTypes.json, headers, body };
    }
    const newer = await newerPanel(panels, facts, await panelReader(request, facts.panel?.panel));
    if (format === 'facts') {
      return { body: { ...jsonOf(report), newer_panel: newer === undefined ? null : newerJson(newer) } };
    }
    const part = format === 'pdf' ? 'file' : 'page';
    const page = await kept.page(report, part);
    if (page === undefined) throw absent();
    const opening: OpenedReport = { report, newer, version, now: now() };
    const view = openedView(page.view, opening, texts, part);
    if (format === 'pdf') {
      const body = await services.pdf.make(paperOf(view, texts), texts.language, made, request.signal);
      return { type: mediaTypes.pdf, headers, body };
    }
    const shown = { id, view, fields: page.fields, newer: newerNotice(opening, texts) };
    return { type: mediaTypes.html, body: keptPage({ ...around(request, texts), ...shown }) };
  }

  return [
    route({
      method: 'GET',
      path: reportsPath,
      operation: 'keptReports',
      summary: 'Kept reports, the latest first: all, or those with a gene or a panel',
      query: documentedSchema(listQuery),
      answers: listAnswers,
      handle(request) {
        const sample = (request.input as FormFields).sample;
        if (sample !== undefined && sample !== '') {
          throw fieldFault('sample', 'is sent in a form (POST), so that no URL contains the name of a sample');
        }
        return listed(request, request.input);
      },
    }),
    route({
      method: 'POST',
      path: reportsPath,
      operation: 'searchKeptReports',
      summary: 'Kept reports, also those of a sample',
      body: { types: [formType], schema: anyFields, limit: formLimit },
      answers: listAnswers,
      handle: (request) =>
        listed(request, Object.fromEntries(searchFields.map((one) => [one, lastOfField(request.body, one)]))),
    }),
    route({
      method: 'GET',
      path: `${reportsPath}/:id`,
      operation: 'openKeptReport',
      summary: 'A kept report: nothing of it is measured again',
      description:
        'For callers who may get reports on all of its samples. As JSON it is byte for byte what was sent; the page and the PDF ' +
        'file show the same numbers and state both versions of the software, and whether a newer version of the panel is signed off.',
      params: z.object({
        id: z.string().describe('The id of the report: the header `Report-Id` of the answer that was kept.'),
      }),
      query: documentedSchema(openQuery),
      answers: {
        200: {
          description: 'The report.',
          content: {
            ...pageContent,
            [mediaTypes.json]: z.looseObject({}),
            [mediaTypes.pdf]: z.string(),
          },
        },
        401: { description: 'The access token is missing or invalid.', content: refusalContent },
        404: { description: 'There is no such report, or not all of its samples are yours.', content: refusalContent },
        422: refusal('The format is unknown.'),
        503: { description: 'The kept report is damaged.', content: refusalContent },
      },
      async handle(request) {
        const { format = formatOfRequest(request) } = checkedInput(openQuery, request.input);
        const report = await opened(request.params.id, request);
        const answer = await answered(report, format, request);
        const { samples, shared, genes, caseName } = report.facts;
        await recording.report(request, {
          what: 'kept_report',
          samples: samples.map(({ name, registration }) => ({
            name,
            ...(caseName !== undefined && { caseName }),
            ...(registration !== undefined && { registration: { id: registration } }),
          })),
          ...{ genes, shared, kept: report.id },
        });
        return { ...answer, headers: { ...answer.headers, Vary: 'Accept' } };
      },
    }),
  ];
}

const searchFields = ['gene', 'panel', 'sample', 'after', 'lang'] as const;

const listAnswers = {
  200: {
    description: 'The reports whose samples the caller may see.',
    content: {
      ...pageContent,
      'application/json': z.object({
        reports: z.array(listedReport),
        next: z.string().nullable().describe('`after` of the next page; null on the last one.'),
        panel_versions: z
          .array(z.looseObject({ panel: z.string(), version: z.string(), state: z.string() }))
          .nullable()
          .optional()
          .describe(
            'With `gene`: the versions of panels that hold it, and those with an `entry` without a gene that may be it; null if the name does not mean one gene for certain.',
          ),
      }),
    },
  },
  400: { description: 'The body is not a form.', content: refusalContent },
  401: { description: 'The access token is missing or invalid.', content: refusalContent },
  413: { description: 'The form is too large.', content: refusalContent },
  422: { description: 'A field is invalid.', content: refusalContent },
};

function formatOfRequest({ headers }: Pick<KeptReportCall, 'headers'>): 'html' | 'json' | 'pdf' {
  const types = { html: mediaTypes.html, json: mediaTypes.json, pdf: mediaTypes.pdf };
  const type = preferred(headers, Object.values(types) as [string, ...string[]]);
  const formats = ['html', 'json', 'pdf'] as const;
  const found = formats.find((format) => types[format] === type);
  if (found === undefined) {
    throw new Fault('not-acceptable', `The answer comes as ${Object.values(types).join(' or ')} only`);
  }
  return found;
}

function absent(): Fault {
  return new Fault('not-found', 'There is no kept report with this id that you may open');
}

function nameOfDownload({ made, facts }: KeptReport, extension: string): string {
  const { build, level, panelName, caseName, samples, page, language } = facts;
  const { fileNames } = textsOfLanguage(language);
  return fileName({
    kind: (fileNames as Readonly<Record<string, string>>)[page] ?? page,
    request: {
      ...{ build, level },
      ...(panelName !== undefined && { panel: panelName }),
      ...(caseName !== undefined && { caseName }),
    },
    samples: samples.map((sample) => sample.name),
    ...{ made, extension },
  });
}

function listJson({ reports, next }: ReportHits, versions: readonly HoldingVersion[] | 'uncertain' | undefined) {
  const all = reports.map(({ report, held }) => ({ ...jsonOf(report), ...(held !== undefined && { gene: held }) }));
  return {
    reports: all,
    next: next ?? null,
    ...(versions && { panel_versions: versions === 'uncertain' ? null : versions }),
  };
}

/** Names of files may be those of people: as reports show them, without their folders. */
function jsonOf({ id, made, facts }: KeptReport) {
  const { parts, samples, caseName, panelName, by, ...rest } = facts;
  return {
    ...{ id, made: made.toISOString() },
    ...rest,
    ...{ by: by ?? null, case: caseName ?? null, panel_name: panelName ?? null, panel: facts.panel ?? null },
    samples: samples.map(({ name: called, registration, fingerprint, unique }) => ({
      ...{ name: called, sample_id: registration ?? null, fingerprint: fingerprint ?? null },
      ...(unique && {
        unique: { fingerprint: unique.fingerprint ?? null, mapping_quality: unique.quality ?? null },
      }),
    })),
    checksum: parts.json?.checksum ?? null,
  };
}

function newerJson({ version, differences }: NonNullable<Awaited<ReturnType<typeof newerPanel>>>) {
  return { version, differences: differences.map(({ hgnc, symbol, what }) => ({ hgnc, symbol, what })) };
}
