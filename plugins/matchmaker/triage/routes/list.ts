/** `/matchmaker/submissions`: submissions with what came back, listed and searched. */
import { z } from 'zod';
import { type Answer, type RouteDeclaration, type RouteRequest, route } from '../../../../core/plugin.js';
import { type Desk, submissionsPath } from '../desk.js';
import { listPage } from '../pages/list.js';
import { type Filters, filters, searchSubmissions } from '../search.js';
import { submissionAnswer, submissionShown } from '../shown.js';
import { textsFor } from '../texts/texts.js';
import { bodyTypes, jsonType, pageType, refusal, refusals, vary, wantsPage } from './fields.js';

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
