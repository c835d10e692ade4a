/** `/coverage`: the start page, and its form with one more row for a sample. */
import { type Answer, type RouteDeclaration, type RouteRequest, route } from '../../../core/plugin.js';
import { lastOf, type Sent } from '../form/fields.js';
import { defaultType } from '../form/request.js';
import { rowField, rowsOf } from '../form/rows.js';
import { listAsRows, namedIn } from '../form/samples.js';
import { demoFields } from '../pages/demo.js';
import { landingPage } from '../pages/landing.js';
import { addSample } from '../pages/sample-rows.js';
import { panelField } from '../panels/resolve.js';
import type { CoverageServices } from '../services.js';
import { type Texts, textsFor } from '../texts/texts.js';
import { anyFields, formLimit, formType, pageContent, refusalContent } from './form-body.js';
import { reachedBy, withTokenCookie } from './token.js';

interface Shown {
  sent: Sent;
  /** What the client may choose from; omitted if it may not see which files there are. */
  reached?: Pick<CoverageServices, 'offered'> | undefined;
  added?: number;
}

export function landingRoutes(services: CoverageServices): RouteDeclaration[] {
  const { settings, intervals, panels, base, docs, demo, kept } = services;
  const { levels, limits, defaultIntervals } = settings;

  const answer = async (
    { nonce, signal }: Pick<RouteRequest<unknown, unknown, unknown>, 'nonce' | 'signal'>,
    texts: Texts,
    { sent, reached, added }: Shown,
  ): Promise<Answer> => {
    const [sets, offers] = await Promise.all([intervals.sets({ signal }), reached?.offered()]);
    const around = {
      texts,
      nonce,
      base,
      docs,
      levels,
      defaultIntervals,
      hasPanels: panels() !== undefined,
      mostSamples: limits.samples,
      keeps: kept,
    };
    const body = landingPage({ ...around, sets, demo, sent, offers, added });
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
        const texts = textsFor(lastOf(request.input, 'lang'), request.headers);
        const filled = demo ? listAsRows(demoFields('report', {}), limits.samples, texts) : {};
        // Links name a panel; a sample or file never stands in a URL.
        const sent = { interval_type: defaultType, ...filled, [panelField]: lastOf(request.input, panelField) };
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
        const texts = textsFor(lastOf(body, 'lang'), request.headers);
        const known = reached && (await namedIn(body, limits.samples, texts, reached.named));
        const rows = listAsRows(body, limits.samples, texts, known);
        const answered = await answer(request, texts, { reached, ...withRow(rows, limits.samples) });
        return reached ? withTokenCookie(answered, body, request, services) : answered;
      },
    }),
  ];
}

/** Adds an empty row, if its button was pressed and the form may have more rows. */
function withRow(sent: Sent, most: number): { sent: Sent; added?: number } {
  const rows = rowsOf(sent);
  if (lastOf(sent, addSample) === undefined || rows.length >= most) return { sent };
  const place = (rows.at(-1)?.place ?? 0) + 1;
  return { sent: { ...sent, [rowField('name', place)]: '' }, added: place };
}
