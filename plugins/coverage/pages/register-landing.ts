/** Registers the page at `/coverage`, and how its form comes back with one more row for a sample. */
import { z } from 'zod';
import { type Answer, type PluginContext, type RouteRequest, route } from '../../../core/plugin.js';
import { lastOf, type Sent } from '../form/fields.js';
import { rowField, rowsOf } from '../form/rows.js';
import { listAsRows } from '../form/samples.js';
import { detail, detailBody } from '../routes/input.js';
import type { CoverageServices } from '../services.js';
import type { CoverageSettings } from '../settings.js';
import { type Texts, textsFor } from '../texts/texts.js';
import { demoFields } from './demo.js';
import { faultBody } from './fault.js';
import { formLimit, formType } from './form-body.js';
import { landingPage } from './landing.js';
import { addSample } from './sample-rows.js';
import { isAdmitted, tokenCookie } from './token.js';

const fields = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
const page = { 'text/html': z.string() };
const refused = { ...page, 'application/json': detail };

type Request = Pick<RouteRequest<unknown, unknown, unknown>, 'nonce'>;

interface Shown {
  sent: Sent;
  /** Whether the client may see which files there are. */
  admitted: boolean;
  added?: number;
}

export function registerLanding(
  context: PluginContext<CoverageSettings>,
  services: CoverageServices,
  base: string,
): void {
  const { demo, baseUrl } = context;
  const { levels, limits } = services.settings;

  const answer = async ({ nonce }: Request, texts: Texts, { sent, admitted, added }: Shown): Promise<Answer> => {
    const [sets, files] = await Promise.all([
      services.intervals.sets(),
      admitted ? services.sources.listed() : undefined,
    ]);
    const around = { texts, nonce, base, levels, mostSamples: limits.samples };
    const body = landingPage({ ...around, sets, demo, sent, files, added });
    return { type: 'text/html', headers: { Vary: 'Accept-Language' }, body };
  };

  const pageFault = faultBody(base);
  // Below it are the endpoints for programs.
  context.errorBody('/coverage', (fault, status, request) =>
    (request.path === '/coverage' ? pageFault : detailBody)(fault, status, request),
  );
  context.route(
    route({
      method: 'GET',
      path: '/coverage',
      operation: 'coveragePages',
      summary: 'What the coverage pages are, what is loaded, and a form for a report',
      query: fields,
      answers: { 200: { description: 'The page.', content: page } },
      async handle(request) {
        const texts = textsFor(lastOf(request.input, 'lang'), request.headers);
        const sent = demo ? listAsRows(demoFields('report', {}), limits.samples, texts) : {};
        return answer(request, texts, { sent, admitted: await isAdmitted(services, request) });
      },
    }),
  );
  context.route(
    route({
      method: 'POST',
      path: '/coverage',
      operation: 'coverageForm',
      summary: 'The form for a report as it was filled in, with a row for one more sample',
      // By POST, so that no name of a sample or a file is in an address.
      body: { types: [formType], schema: fields, limit: formLimit },
      answers: {
        200: { description: 'The page.', content: page },
        400: { description: 'The body is no form.', content: refused },
        413: { description: 'The form is too large.', content: refused },
      },
      async handle(request) {
        const { body } = request;
        const admitted = await isAdmitted(services, request, body);
        const texts = textsFor(lastOf(body, 'lang'), request.headers);
        const rows = listAsRows(body, limits.samples, texts);
        const answered = await answer(request, texts, { admitted, ...withRow(rows, limits.samples) });
        const cookie = admitted ? await tokenCookie(body, request, services, baseUrl) : undefined;
        return cookie === undefined
          ? answered
          : { ...answered, headers: { ...answered.headers, 'Set-Cookie': cookie } };
      },
    }),
  );
}

/** One more empty row, if the button for it was pressed and there may be one. */
function withRow(sent: Sent, most: number): { sent: Sent; added?: number } {
  const rows = rowsOf(sent);
  if (lastOf(sent, addSample) === undefined || rows.length >= most) return { sent };
  const place = (rows.at(-1)?.place ?? 0) + 1;
  return { sent: { ...sent, [rowField('name', place)]: '' }, added: place };
}
