/** `/reviews`: the worklist, the page of a case, decisions and the yield, for browsers and for programs. */
import { z } from 'zod';
import {
  type Answer,
  bodyRefusals,
  callerRefusals,
  type PaperDocument,
  type PdfMaker,
  preferred,
  type RequestHead,
  type RouteDeclaration,
  type RouteRequest,
  refused,
  route,
} from '../../core/plugin.js';
import { type CaseReader, compareCase } from './comparison.js';
import {
  type CaseFinding,
  caseKey,
  findingAnswer,
  groupAnswer,
  outcomes,
  reasons,
  statementAnswer,
} from './contract.js';
import { nameOfPerson, type ReviewDesk } from './desk.js';
import { csvHead, csvOf, findingShown, groupShown, statementShown } from './json.js';
import { casePage, casePaper } from './pages/case.js';
import { casePath, reviewsPath, textsFor } from './pages/frame.js';
import { worklistPage, worklistPaper, yieldPage } from './pages/lists.js';
import { restated, restateFields, restatePage } from './pages/restate.js';
import type { StatementFields } from './statements/body.js';
import { personField, worklistFields } from './worklist.js';

const pageType = 'text/html';
const jsonType = 'application/json';
const csvType = 'text/csv';
const pdfType = 'application/pdf';
const bodyTypes = ['application/x-www-form-urlencoded', jsonType] as const;
const vary = { Vary: 'Accept, Accept-Language' };

/** Findings on one page, and of one reading for CSV. */
const onPage = 50;
const atOnce = 500;

const lang = z.string().max(35).optional();

const choiceFields = worklistFields.extend({
  format: z.enum(['csv', 'json', 'pdf']).optional().describe('By Accept if omitted.'),
  lang,
});
const searchFields = choiceFields.extend({ person: personField });

const refusals = refused({ ...callerRefusals, 400: 'A field is not valid.' }, pageType);
const absentRefusal = refused({ 404: 'The caller has no such case or finding.' }, pageType);
const bodyRefusal = refused(bodyRefusals, pageType);

const worklistAnswers = {
  200: {
    description: 'The findings, the most urgent first, then those found first.',
    content: {
      [jsonType]: z.object({
        findings: z.array(findingAnswer),
        next: z.string().optional().describe('`after` of the next page; absent on the last one.'),
        groups: z.array(groupAnswer).describe('Rows for owners of panels; on the first page.'),
      }),
      [csvType]: z.string(),
      [pageType]: z.string(),
      [pdfType]: z.string(),
    },
  },
  ...refusals,
};

/** The type that the client wants. */
function wanted({ headers }: Pick<RequestHead, 'headers'>): 'page' | 'pdf' | 'csv' | 'json' {
  const type = preferred(headers, [jsonType, pageType, csvType, pdfType]);
  return type === pageType ? 'page' : type === pdfType ? 'pdf' : type === csvType ? 'csv' : 'json';
}

function fileAnswer(type: string, name: string, body: unknown): Answer {
  return { type, headers: { ...vary, 'Content-Disposition': `attachment; filename="${name}"` }, body };
}

export interface ReviewRouteTools {
  desk: ReviewDesk;
  base: string;
  pdf: Pick<PdfMaker, 'make'>;
  /** Keeps a statement and records who stated it. */
  state(request: CaseReader, fields: StatementFields): Promise<unknown>;
}

export function reviewRoutes({ desk, base, pdf, state }: ReviewRouteTools): RouteDeclaration[] {
  type Handled = Pick<
    RouteRequest<unknown, unknown, unknown, typeof desk.read>,
    'principal' | 'id' | 'headers' | 'nonce' | 'signal'
  >;
  type Asked = z.infer<typeof searchFields>;

  const around = ({ nonce, headers }: Handled, named?: string) => ({ base, nonce, texts: textsFor(named, headers) });

  async function paper(request: Handled, content: PaperDocument, language: string, name: string): Promise<Answer> {
    return fileAnswer(pdfType, `${name}.pdf`, await pdf.make(content, language, desk.now(), request.signal));
  }

  async function worklist(request: Handled, asked: Asked): Promise<Answer> {
    const { principal } = request;
    const format = asked.format ?? wanted(request);
    if (format === 'csv')
      return fileAnswer(csvType, 'reviews.csv', csvHead + csvOf(await everyFinding(request, asked)));
    const [{ findings, next }, owners] = await Promise.all([
      format === 'pdf'
        ? { findings: await everyFinding(request, asked), next: undefined }
        : desk.worklist(request, asked, onPage),
      desk.ownersOf(principal),
    ]);
    const isFirst = asked.after === '';
    const groups = isFirst ? await desk.repository.groups({ ...(owners && { owners }), states: [asked.state] }) : [];
    if (format === 'json') {
      return { headers: vary, body: { findings: findings.map(findingShown), next, groups: groups.map(groupShown) } };
    }
    const [held, mayApply, unlooked] = await Promise.all([
      isFirst ? desk.repository.held(owners) : [],
      desk.mayWrite(principal),
      desk.unlooked(owners),
    ]);
    const waiting = held.filter(({ agreed }) => agreed === undefined);
    const list = { asked, findings, next, groups, held: waiting, mayApply, unlooked };
    const page = around(request, asked.lang);
    if (format === 'pdf') return paper(request, worklistPaper(list, page, desk.now()), page.texts.language, 'reviews');
    return { headers: vary, type: pageType, body: worklistPage(list, page) };
  }

  async function everyFinding(request: Handled, asked: Asked): Promise<CaseFinding[]> {
    const all: CaseFinding[] = [];
    for (let after: string | undefined = asked.after; after !== undefined; ) {
      const { findings, next } = await desk.worklist(request, { ...asked, after }, atOnce);
      all.push(...findings);
      after = next;
    }
    return all;
  }

  return [
    route({
      method: 'GET',
      path: reviewsPath,
      operation: 'worklist',
      summary: 'List findings: the cases that should be looked at again, and why',
      description:
        'A page, JSON, CSV or PDF. Nothing is concluded here. Send `person`, which names someone, by POST: URLs are kept in logs.',
      access: desk.read,
      query: choiceFields,
      answers: worklistAnswers,
      handle: (request) => worklist(request, { ...request.input, person: '' }),
    }),
    route({
      method: 'POST',
      path: reviewsPath,
      operation: 'searchWorklist',
      summary: 'List findings, with the conditions in the body',
      access: desk.read,
      body: { types: bodyTypes, schema: searchFields },
      answers: { ...worklistAnswers, ...bodyRefusal },
      handle: (request) => worklist(request, request.body),
    }),
    route({
      method: 'GET',
      path: `${reviewsPath}/yield`,
      operation: 'yield',
      summary: 'Count findings, reopened ones and solved ones by reason and year',
      access: desk.read,
      query: z.object({ lang }),
      answers: {
        200: {
          description: 'By year, then by reason.',
          content: {
            [jsonType]: z.array(
              z.object({
                reason: z.enum(reasons),
                year: z.int(),
                findings: z.int(),
                reopened: z.int(),
                solved: z.int().describe('Reopened ones of cases that are solved now.'),
              }),
            ),
            [pageType]: z.string(),
          },
        },
        ...refusals,
      },
      async handle(request) {
        const rows = await desk.repository.yields(await desk.ownersOf(request.principal));
        if (wanted(request) !== 'page') return { headers: vary, body: rows };
        return { headers: vary, type: pageType, body: yieldPage(rows, around(request, request.input.lang)) };
      },
    }),
    route({
      method: 'GET',
      path: `${reviewsPath}/cases/:case`,
      operation: 'reviewCase',
      summary: 'Get a case: what was concluded, what has changed since then, and what was decided',
      access: desk.read,
      params: caseParams,
      query: z.object({
        owner: ownerName,
        lang,
        format: z.enum(['json', 'pdf']).optional().describe('By Accept if omitted.'),
      }),
      answers: {
        200: {
          description: 'The case.',
          content: {
            [jsonType]: z.object({ statement: statementAnswer, findings: z.array(findingAnswer) }),
            [pageType]: z.string(),
            [pdfType]: z.string(),
          },
        },
        ...refusals,
        ...absentRefusal,
      },
      async handle(request) {
        const { owner, lang: named, format = wanted(request) } = request.input;
        const { statement, findings } = await desk.caseOf(request, caseKey(request.params.case, owner));
        if (format !== 'page' && format !== 'pdf') {
          return {
            headers: vary,
            body: { statement: statementShown(statement), findings: findings.map(findingShown) },
          };
        }
        const [compared, mayDecide, former] = await Promise.all([
          compareCase(desk, request, statement, findings),
          desk.mayWrite(request.principal, statement.owner),
          desk.formerOf(statement),
        ]);
        const shown = { statement, former, findings, compared, mayDecide };
        const page = around(request, named);
        if (format === 'pdf') return paper(request, casePaper(shown, page, desk.now()), page.texts.language, 'case');
        return { headers: vary, type: pageType, body: casePage(shown, page) };
      },
    }),
    route({
      method: 'GET',
      path: `${reviewsPath}/cases/:case/statement`,
      operation: 'restateForm',
      summary: 'A page with the form of a new statement about a case',
      access: desk.write,
      params: caseParams,
      query: z.object({ owner: ownerName, lang }),
      answers: {
        200: { description: 'The page.', content: { [pageType]: z.string() } },
        ...refusals,
        ...absentRefusal,
      },
      async handle(request) {
        const { owner, lang: named } = request.input;
        const last = await desk.lastOf(request, caseKey(request.params.case, owner));
        const body = restatePage(last, nameOfPerson(request.principal), around(request, named));
        return { headers: vary, type: pageType, body };
      },
    }),
    route({
      method: 'POST',
      path: `${reviewsPath}/cases/:case/statement`,
      operation: 'restateCase',
      summary: 'State what was concluded about a case, by the form: what it does not ask stays',
      access: desk.write,
      params: caseParams,
      body: { types: bodyTypes, schema: restateFields },
      answers: {
        303: { description: 'It is done: the page of the case is at Location.' },
        ...refusals,
        ...absentRefusal,
        ...bodyRefusal,
        ...refused(
          {
            409: 'There is another statement about this case than the one that was seen.',
            422: 'The statement names what does not exist, or what the caller may not see.',
          },
          pageType,
        ),
      },
      async handle(request) {
        const { owner, ...sent } = request.body;
        const last = await desk.lastOf(request, caseKey(request.params.case, owner || undefined));
        await state(request, restated(last, sent, desk.now()));
        return { status: 303, headers: { Location: `${base}${casePath(last)}` } };
      },
    }),
    route({
      method: 'POST',
      path: `${reviewsPath}/findings/:id/decision`,
      operation: 'decide',
      summary: 'Decide about a finding',
      description:
        'It does not return unless its evidence changes. `later` brings it back at `until`. `reopened` ends in a new statement about ' +
        'the case. Of two people who decide at the same time, the second gets 409: a decision names the revision that was seen.',
      access: desk.write,
      params: z.object({ id: z.string().max(200) }),
      body: { types: bodyTypes, schema: decisionFields },
      answers: {
        200: { description: 'The finding.', content: { [jsonType]: z.union([findingAnswer, groupAnswer]) } },
        303: { description: 'It is done: the page of the case, or a form for the new statement, is at Location.' },
        ...refusals,
        ...absentRefusal,
        ...bodyRefusal,
        ...refused({ 409: 'It was changed since it was read.' }, pageType),
      },
      async handle(request) {
        const { what, ...decision } = request.body;
        const found = await desk.decide(request, what, request.params.id, decision);
        if (wanted(request) !== 'page')
          return { headers: vary, body: 'case' in found ? findingShown(found) : groupShown(found) };
        const under = decision.outcome === 'reopened' ? '/statement' : '';
        const to = 'case' in found ? casePath(found, under) : reviewsPath;
        return { status: 303, headers: { Location: `${base}${to}` } };
      },
    }),
  ];
}

const caseParams = z.object({ case: z.string().max(100) });
const ownerName = z.string().max(100).optional().describe('The tenant, if the caller reads the cases of several.');

/** Forms send empty texts. */
const untilDay = z
  .union([z.literal(''), z.iso.date()])
  .optional()
  .transform((text) => (text ? new Date(`${text}T00:00:00Z`) : undefined));

const decisionFields = z
  .object({
    what: z.enum(['finding', 'group']).default('finding'),
    revision: z.coerce.number().int().min(1).describe('The revision that was seen.'),
    outcome: z.enum(outcomes),
    reason: z.string().trim().min(1, 'expected a reason').max(2000),
    until: untilDay.describe('Of `later`: a day, such as 2030-01-31; without it, until its evidence changes.'),
  })
  .refine(({ outcome, until }) => until === undefined || outcome === 'later', {
    path: ['until'],
    message: 'is for `later` alone',
  });
