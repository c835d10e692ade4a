/** `/matchmaker/submissions/<number>/rows/<id>`: one counterpart, what is noted about it, and mails to its contact. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../../core/plugin.js';
import { thisNode } from '../../contract.js';
import { sendsMail } from '../../mail/settings.js';
import { keepDraft, note, send } from '../changes.js';
import { type Desk, rowPath, submissionsPath } from '../desk.js';
import { rowPage } from '../pages/row.js';
import { sameDiseaseOf } from '../same-disease.js';
import { readRowAnswer, rowAnswer, rowShown } from '../shown.js';
import { textsFor } from '../texts/texts.js';
import {
  bodyTypes,
  changeRefusals,
  jsonType,
  pageType,
  refusals,
  rowFields,
  rowParams,
  vary,
  wantsPage,
} from './fields.js';

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
