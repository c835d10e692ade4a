/** `/matchmaker/submissions/<number>`: one submission with its rows, and its hand-over. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../../core/plugin.js';
import { type StoredPatient, type TriageRow, thisNode } from '../../contract.js';
import { handOver } from '../changes.js';
import { type Caller, type Desk, submissionPath, submissionsPath } from '../desk.js';
import { isShown, submissionPage } from '../pages/submission.js';
import { sameDiseaseOf } from '../same-disease.js';
import {
  byWeight,
  historyAnswer,
  historyShown,
  readRowAnswer,
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
  refusals,
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
