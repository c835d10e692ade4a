/** `/matchmaker/submissions`: the list and its search, one submission with its rows and its hand-over, and one row. */
import { z } from 'zod';
import { type Answer, type RouteDeclaration, type RouteRequest, route } from '../../../../core/plugin.js';
import { type StoredPatient, type TriageRow, thisNode } from '../../contract.js';
import { sendsMail } from '../../mail/settings.js';
import { handOver, keepDraft, note, send } from '../changes.js';
import { type Caller, type Desk, rowPath, submissionPath, submissionsPath } from '../desk.js';
import { listPage } from '../pages/list.js';
import { rowPage } from '../pages/row.js';
import { isShown, submissionPage } from '../pages/submission.js';
import { sameDiseaseOf } from '../same-disease.js';
import { type Filters, filters, searchSubmissions } from '../search.js';
import {
  byWeight,
  historyAnswer,
  historyShown,
  readRowAnswer,
  rowAnswer,
  rowShown,
  statedAnswer,
  statedOf,
  submissionAnswer,
  submissionShown,
} from '../shown.js';
import { textsFor } from '../texts/texts.js';
import {
  bodyTypes,
  changeRefusals,
  choiceQuery,
  contactFields,
  jsonType,
  pageType,
  refusal,
  refusals,
  rowFields,
  rowParams,
  submissionParams,
  vary,
  wantsPage,
} from './fields.js';

const shownSubmission = submissionAnswer.extend({
  stated: statedAnswer,
  rows: z.array(readRowAnswer).describe('Those with a shared gene first, then by score.'),
  hidden: z.int().describe('Rows that are left out by the choice.'),
  history: historyAnswer.describe('Of the submission itself.'),
});

export function submissionRoutes(desk: Desk, base: string): RouteDeclaration[] {
  const { pages } = desk.access;
  const { repository, settings } = desk.triage;

  async function whole(caller: Caller, stored: StoredPatient) {
    const { number } = stored;
    const [rows, notes, [summary]] = await Promise.all([
      repository.rows(number),
      repository.notes(number),
      repository.summaries([number], caller.person),
    ]);
    const listed = { stored, summary: summary ?? { submission: number, statuses: {}, unseen: 0 } };
    return { rows: rows.sort(byWeight), notes, listed };
  }

  return [
    route({
      method: 'GET',
      path: `${submissionsPath}/:number`,
      operation: 'getSubmission',
      summary: 'Get a submission with its matches',
      access: pages.read.access,
      params: submissionParams,
      query: choiceQuery,
      answers: {
        200: {
          description: 'The submission, with one row for each counterpart.',
          content: { [jsonType]: shownSubmission, [pageType]: z.string() },
        },
        ...refusals,
      },
      async handle(request) {
        const { require, hide, chosen, lang } = request.input;
        const caller = await desk.callerOf(pages.read, request);
        const stored = await desk.submission(caller, request.params.number);
        const [{ rows, notes, listed }, peers] = await Promise.all([whole(caller, stored), desk.peers()]);
        await desk.trail.add([{ by: caller.by, action: 'read', patients: [stored.patient.id, ...ours(rows)] }]);
        const usual = chosen === 'yes' ? [] : settings.hidePhenotypeOnly;
        const choice = { requireGene: require === 'gene', hide: [...new Set([...hide, ...usual])] };
        const resources = desk.resources();
        const visible = rows.filter((row) => isShown(row, choice));
        const { id, signal } = request;
        const local = await desk.local({ caller, id, signal }, stored, visible);
        if (!wantsPage(request)) {
          const body = {
            ...submissionShown(listed, resources),
            stated: statedOf(stored, resources),
            rows: visible.map((row) => rowShown(row, peers, local.get(row.id))),
            hidden: rows.length - visible.length,
            history: historyShown(notes),
          };
          return { headers: vary, body };
        }
        const since = await repository.visit(caller.person, stored.number, desk.now());
        const mayHandOver = await desk.mayUse(pages.load, request, stored);
        const around = { base, nonce: request.nonce, texts: textsFor(lang, request.headers) };
        const sameDisease = sameDiseaseOf(stored, resources, desk.settings);
        const page = { stored, rows, visible, local, choice, since, peers, notes, mayHandOver, resources, sameDisease };
        return { headers: vary, type: pageType, body: submissionPage(page, around) };
      },
    }),
    route({
      method: 'POST',
      path: `${submissionsPath}/:number/contact`,
      operation: 'handOverSubmission',
      summary: 'Hand a submission over to another contact',
      description: 'Changes the contact of the stored patient, as adding it again does, and records who did so.',
      access: pages.load.access,
      params: submissionParams,
      body: { types: bodyTypes, schema: contactFields },
      answers: {
        200: { description: 'The submission.', content: { [jsonType]: submissionAnswer } },
        303: { description: 'It is done: its page is at Location.' },
        ...changeRefusals,
      },
      async handle(request) {
        const caller = await desk.callerOf(pages.load, request);
        const submission = await desk.submission(caller, request.params.number);
        await handOver(desk, { caller, submission }, request.body);
        if (wantsPage(request)) {
          return { status: 303, headers: { Location: `${base}${submissionPath(submission.number)}` } };
        }
        const stored = await desk.submission(caller, submission.number);
        const { listed } = await whole(caller, stored);
        return { headers: vary, body: submissionShown(listed, desk.resources()) };
      },
    }),
  ];
}

/** Patients of this node, whom the reader sees as well. */
function ours(rows: readonly TriageRow[]): string[] {
  return rows.filter(({ node }) => node === thisNode.id).map(({ patient }) => patient);
}

const answers = {
  200: {
    description: 'The submissions, the one with the latest match first.',
    content: {
      [jsonType]: z.object({
        submissions: z.array(submissionAnswer),
        next: z.string().optional().describe('`after` for the next page, which may be empty; absent on the last page.'),
      }),
      [pageType]: z.string(),
    },
  },
  ...refusals,
};

export function listRoutes(desk: Desk, base: string): RouteDeclaration[] {
  const { access } = desk.access.pages.read;
  type Handled = Pick<
    RouteRequest<unknown, unknown, unknown, typeof access>,
    'principal' | 'id' | 'headers' | 'nonce' | 'signal'
  >;

  async function listed(request: Handled, asked: Filters): Promise<Answer> {
    const caller = await desk.callerOf(desk.access.pages.read, request);
    const found = await searchSubmissions(desk, caller, asked, request.signal);
    const patients = found.submissions.map(({ stored }) => stored.patient.id);
    if (patients.length > 0) await desk.trail.add([{ by: caller.by, action: 'read', patients }]);
    const resources = desk.resources();
    if (!wantsPage(request)) {
      const submissions = found.submissions.map((one) => submissionShown(one, resources));
      return { headers: vary, body: { submissions, next: found.next } };
    }
    const around = { base, nonce: request.nonce, texts: textsFor(asked.lang, request.headers) };
    const shown = { asked, found, resources, peers: await desk.peers() };
    return { headers: vary, type: pageType, body: listPage(shown, around) };
  }

  return [
    route({
      method: 'GET',
      path: submissionsPath,
      operation: 'listSubmissions',
      summary: 'List submissions, with what came back for each',
      description:
        'Your own submissions, or those of the clients that you may read: the one with the latest match first. Send ' +
        '`text`, `label` and `submitter`, which name people, by POST: URLs are kept in logs and histories.',
      access,
      query: filters,
      answers,
      handle: (request) => listed(request, request.input),
    }),
    route({
      method: 'POST',
      path: submissionsPath,
      operation: 'searchSubmissions',
      summary: 'Search submissions and their matches',
      description: 'The same list with the conditions in the body: by `text` a reply is traced to its submission.',
      access,
      body: { types: bodyTypes, schema: filters },
      answers: { ...answers, 413: refusal('The body is too large.'), 422: refusal('A condition is not valid.') },
      handle: (request) => listed(request, request.body),
    }),
  ];
}

const path = `${submissionsPath}/:number/rows/:row`;
/** Subject and text of a mail, as a form encodes them. */
const bodyLimit = 256 * 1024;

export function rowRoutes(desk: Desk, base: string): RouteDeclaration[] {
  const { pages } = desk.access;

  return [
    route({
      method: 'GET',
      path,
      operation: 'getMatchRow',
      summary: 'Get one match of a submission, with its history',
      access: pages.read.access,
      params: rowParams,
      query: z.object({ lang: z.string().max(35).optional() }),
      answers: {
        200: { description: 'The row.', content: { [jsonType]: readRowAnswer, [pageType]: z.string() } },
        ...refusals,
      },
      async handle(request) {
        const caller = await desk.callerOf(pages.read, request);
        const stored = await desk.submission(caller, request.params.number);
        const [row, peers] = await Promise.all([desk.row(stored, request.params.row), desk.peers()]);
        const patients = [stored.patient.id, ...(row.node === thisNode.id ? [row.patient] : [])];
        await desk.trail.add([{ by: caller.by, action: 'read', patients }]);
        const { id, signal } = request;
        const local = (await desk.local({ caller, id, signal }, stored, [row])).get(row.id);
        if (!wantsPage(request)) return { headers: vary, body: rowShown(row, peers, local) };
        const mayWork = await desk.mayUse(pages.work, request, stored);
        const sends = sendsMail(desk.settings.mail);
        const around = { base, nonce: request.nonce, texts: textsFor(request.input.lang, request.headers) };
        const resources = desk.resources();
        const sameDisease = sameDiseaseOf(stored, resources, desk.settings)(row);
        const shown = { stored, row, peers, mayWork, sends, local, sameDisease, resources };
        return { headers: vary, type: pageType, body: rowPage(shown, around) };
      },
    }),
    route({
      method: 'POST',
      path,
      operation: 'workOnMatchRow',
      summary: 'Note what became of a match, or write to its contact',
      description:
        'Of two people who change a row at the same time, the second gets 409: a change names the revision that was seen. A ' +
        'mail is sent by the server and kept; a row that was `new` is then `contacted`.',
      access: pages.work.access,
      params: rowParams,
      body: { types: bodyTypes, schema: rowFields, limit: bodyLimit },
      answers: {
        200: { description: 'The row after the change.', content: { [jsonType]: rowAnswer } },
        303: { description: 'It is done: its page is at Location.' },
        ...changeRefusals,
      },
      async handle(request) {
        const caller = await desk.callerOf(pages.work, request);
        const submission = await desk.submission(caller, request.params.number);
        const row = await desk.row(submission, request.params.row);
        const { action, ...fields } = request.body;
        const change = { note, draft: keepDraft, send }[action];
        const after = await change(desk, { caller, submission }, row, fields);
        if (wantsPage(request)) return { status: 303, headers: { Location: `${base}${rowPath(row)}` } };
        return { headers: vary, body: rowShown(after, await desk.peers()) };
      },
    }),
  ];
}
