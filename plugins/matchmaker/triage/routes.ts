/** `/matchmaker/submissions`: the routes of triage, the fields of their requests, and the rows of the demo patients. */
import { z } from 'zod';
import { sendsMail } from '../../../core/outgoing.js';
import {
  type Answer,
  bodyRefusals,
  callerRefusals,
  type PluginContext,
  preferred,
  type RequestHead,
  type RouteDeclaration,
  type RouteRequest,
  refused,
  route,
} from '../../../core/plugin.js';
import {
  demoOwner,
  matchmakerTriage,
  type StoredPatient,
  type TriageRow,
  thisNode,
  triageStatuses,
} from '../contract.js';
import { lastNumber } from '../exchange/protocol.js';
import type { MatchmakerServices, Triage } from '../services.js';
import {
  type Desk,
  deskOfTriage,
  handOver,
  keepDraft,
  noteRow,
  rowPath,
  send,
  submissionPath,
  submissionsPath,
  type TriageCaller,
} from './desk.js';
import {
  byWeight,
  featuresOfPatient,
  historyAnswer,
  historyShown,
  readRowAnswer,
  rowAnswer,
  rowShown,
  statedAnswer,
  submissionAnswer,
  submissionShown,
} from './json.js';
import { matchesService } from './matches-of.js';
import { pageFault, textsFor } from './pages/frame.js';
import { isRowShown, rowPage, submissionListPage, submissionPage } from './pages/submissions.js';
import { sameDiseaseOf } from './same-disease.js';
import { filters, type SubmissionFilters, searchSubmissions } from './submission-search.js';

export function registerTriage(
  context: Pick<PluginContext<unknown>, 'route' | 'errorBody' | 'link' | 'basePath' | 'find' | 'offer' | 'tenants'>,
  services: MatchmakerServices,
  triage: Triage,
): void {
  const base = context.basePath;
  const desk = deskOfTriage(services, triage, (key) => context.find(key));
  for (const route of [...listRoutes(desk, base), ...submissionRoutes(desk, base), ...rowRoutes(desk, base)]) {
    context.route(route);
  }
  context.offer('matchmaker/matches@1', () => matchesService(services, triage, context.tenants));
  context.errorBody(submissionsPath, pageFault(base));
  context.link(submissionsPath, 'Submissions and their matches');
}

/** Demo patients that are searched for. */
const searched = 8;

export async function addDemoRows(
  { patients, search, transaction }: Pick<MatchmakerServices, 'patients' | 'search' | 'transaction'>,
  { sightings }: Pick<Triage, 'sightings'>,
): Promise<void> {
  const { signal } = new AbortController();
  for (const own of await patients.patients({ owner: demoOwner, limit: searched })) {
    const { matches } = await search(own.patient, { asker: demoOwner, signal });
    const seen = sightings.here({ patient: own.patient, own, asker: demoOwner, matches });
    await transaction((scope) => scope.repository(matchmakerTriage).seen(seen));
  }
}

// What requests to the pages of triage bring, and what all of them answer.

const pageType = 'text/html';
const jsonType = 'application/json';
/** Forms of the pages, and the same fields as JSON. */
const bodyTypes = ['application/x-www-form-urlencoded', jsonType] as const;

const number = z.coerce.number().int().min(1).max(lastNumber);

const submissionParams = z.object({ number: number.describe('The number of the submission, as listed.') });
const rowParams = submissionParams.extend({ row: z.string().max(100) });

const line = (most: number) => z.string().trim().max(most, `is longer than ${most} characters`);
const optionalLine = (most: number) =>
  line(most)
    .optional()
    .transform((text) => text || undefined);
/** Forms send lines with carriage returns. */
const block = (most: number) =>
  z
    .string()
    .max(most, `is longer than ${most} characters`)
    .transform((text) => text.replaceAll('\r\n', '\n').replaceAll('\0', ''));

const rowFields = z.object({
  action: z
    .enum(['note', 'draft', 'send'])
    .default('note')
    .describe('`note`: change status and assignee, add a note; `draft`: keep a mail; `send`: send it.'),
  revision: number.describe('The revision that was seen.'),
  status: z.enum(triageStatuses).optional(),
  assignee: line(255).optional().describe('None if empty.'),
  note: block(5000)
    .optional()
    .transform((text) => text?.trim() || undefined),
  subject: line(200)
    .default('')
    .refine((text) => !/\p{Cc}/u.test(text), 'must be one line'),
  text: block(20_000).default(''),
});

const contactFields = z.object({
  version: number.describe('The version of the patient that was seen.'),
  name: line(255),
  href: line(2048).describe('An e-mail address, with or without mailto:, or a web address.'),
  institution: optionalLine(255),
  comment: optionalLine(5000),
});

/** Repeated parameters arrive as lists. */
const several = z
  .union([z.string().max(255), z.array(z.string().max(255)).max(1000)])
  .optional()
  .transform((values) => [values ?? []].flat());

const choiceQuery = z.object({
  require: z.enum(['gene']).optional().describe('`gene`: only rows with a shared gene.'),
  hide: several.describe('Ids of nodes whose rows without a shared gene are hidden.'),
  chosen: z.enum(['yes']).optional().describe('`yes`: the settings of the server hide nothing further.'),
  lang: z.string().max(35).optional(),
});

/** Whether the client wants a page rather than JSON. */
function wantsPage({ headers }: Pick<RequestHead, 'headers'>): boolean {
  return preferred(headers, [jsonType, pageType]) === pageType;
}

const vary = { Vary: 'Accept, Accept-Language' };

const refusals = refused(
  { ...callerRefusals, 400: 'A parameter is not valid.', 404: 'The caller has no such submission or row.' },
  pageType,
);

const changeRefusals = {
  ...refusals,
  ...refused(
    {
      ...bodyRefusals,
      409: 'It was changed since it was read, or it is not possible.',
      422: 'A field is not valid.',
      503: 'The mail server could not be used.',
    },
    pageType,
  ),
};

// `/matchmaker/submissions`: the list and its search, one submission with its rows and its hand-over, and one row.

const shownSubmission = submissionAnswer.extend({
  stated: statedAnswer,
  rows: z.array(readRowAnswer).describe('Those with a shared gene first, then by score.'),
  hidden: z.int().describe('Rows that are left out by the choice.'),
  history: historyAnswer.describe('Of the submission itself.'),
});

function submissionRoutes(desk: Desk, base: string): RouteDeclaration[] {
  const { pages } = desk.access;
  const { repository, settings } = desk.triage;

  async function whole(caller: TriageCaller, stored: StoredPatient) {
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
        await desk.trail.add([{ by: caller.by, action: 'read', patients: [stored.patient.id, ...patientsHere(rows)] }]);
        const usual = chosen === 'yes' ? [] : settings.hidePhenotypeOnly;
        const choice = { requireGene: require === 'gene', hide: [...new Set([...hide, ...usual])] };
        const resources = desk.resources();
        const visible = rows.filter((row) => isRowShown(row, choice));
        const { id, signal } = request;
        const local = await desk.local({ caller, id, signal }, stored, visible);
        if (!wantsPage(request)) {
          const body = {
            ...submissionShown(listed, resources),
            stated: featuresOfPatient(stored, resources),
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
function patientsHere(rows: readonly TriageRow[]): string[] {
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

function listRoutes(desk: Desk, base: string): RouteDeclaration[] {
  const { access } = desk.access.pages.read;
  type Handled = Pick<
    RouteRequest<unknown, unknown, unknown, typeof access>,
    'principal' | 'id' | 'headers' | 'nonce' | 'signal'
  >;

  async function listed(request: Handled, asked: SubmissionFilters): Promise<Answer> {
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
    return { headers: vary, type: pageType, body: submissionListPage(shown, around) };
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
      answers: { ...answers, ...refused({ 413: bodyRefusals[413], 422: 'A condition is not valid.' }, pageType) },
      handle: (request) => listed(request, request.body),
    }),
  ];
}

const rowRoute = `${submissionsPath}/:number/rows/:row`;
/** Subject and text of a mail, as a form encodes them. */
const bodyLimit = 256 * 1024;

function rowRoutes(desk: Desk, base: string): RouteDeclaration[] {
  const { pages } = desk.access;

  return [
    route({
      method: 'GET',
      path: rowRoute,
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
      path: rowRoute,
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
        const change = { note: noteRow, draft: keepDraft, send }[action];
        const after = await change(desk, { caller, submission }, row, fields);
        if (wantsPage(request)) return { status: 303, headers: { Location: `${base}${rowPath(row)}` } };
        return { headers: vary, body: rowShown(after, await desk.peers()) };
      },
    }),
  ];
}
