/**
 * `GET|POST /apiv1.0/query_form`: the query as a page. It searches public datasets only, as the contract prescribes,
 * whatever credentials are sent. To callers who may see observations it also says how often the allele was seen.
 */
import { z } from 'zod';
import { anonymous, isFault, negotiated, type RouteDeclaration, route } from '../../../../../core/plugin.js';
import type { AlleleQuery } from '../../../contract.js';
import { pathBefore, serverOf } from '../../../server-address.js';
import type { BeaconServices } from '../../../services.js';
import { errorResponse, queryAnswer, queryResponse } from '../answers.js';
import { sampleRequests } from '../information.js';
import { observedHere } from '../observed.js';
import type { ObservedHere, Outcome } from '../page/outcome.js';
import { queryPage } from '../page/query-form.js';
import { givenOf } from '../page/request.js';
import { echoOf, formType, isGiven, misspelt, parameters, type Sent, sentBy } from '../parameters.js';
import { type Asking, answered, jsonType, type QueryServices } from './query.js';

export const formPath = '/apiv1.0/query_form';

const pageType = 'text/html';

/** Most bytes of a submitted form, so that the page that repeats it stays readable. */
const limit = 65_536;

export function formRoute(services: BeaconServices): RouteDeclaration {
  const { settings, baseUrl, docs } = services;
  const datasets = {
    current: async () => services.guard.open(anonymous, await services.datasets.current()),
  };
  const open: QueryServices = {
    ...services,
    datasets,
    readAccess: { ...services.readAccess, callerOf: async () => anonymous },
  };
  // Of all datasets that the caller may observe: the page searches the public ones alone.
  const observed = (request: Asking, query: AlleleQuery) => observedHere(services, request, query, base);
  const base = pathBefore(baseUrl);

  return route({
    method: ['GET', 'POST'],
    path: formPath,
    operation: 'queryForm',
    summary: 'Query the public datasets on a page',
    description:
      'Without parameters an empty form; with those of a query, its result too. The page explains what is wrong with an ' +
      'invalid query, with status 200. Clients that accept only JSON get the response of /apiv1.0/query. Credentials ' +
      'make no difference to the result; with the scope `beacon:observe` the page also says in how many cases of each ' +
      'observed dataset the allele was seen.',
    query: parameters,
    body: { types: [formType], schema: parameters.optional(), limit },
    optionalAccess: services.observer,
    answers: {
      200: { description: 'The page.', content: { [pageType]: z.string(), [jsonType]: queryResponse } },
      400: { description: 'The query is not valid (JSON only).', content: { [jsonType]: errorResponse } },
    },
    async handle(request) {
      const headers = { Vary: 'Accept' };
      const type = negotiated(request.headers, [pageType, jsonType]);
      const sent = sentBy(request, request.method === 'POST' ? (request.body ?? {}) : request.input);
      if (type === jsonType) {
        const { exists, responses } = await answered(open, request, sent);
        return { headers, body: queryAnswer(settings.id, echoOf(sent), exists, responses) };
      }
      const some = givenOf(sent).length > 0 || misspelt(sent) !== undefined || isGiven(sent.parameters.query);
      const asked = request.method === 'POST' || some;
      const outcome = asked ? await outcomeOf(open, request, sent, observed) : undefined;
      const listed = await datasets.current();
      const page = {
        settings,
        datasets: listed,
        sent,
        ...(outcome && { outcome }),
        examples: asked ? [] : await sampleRequests(listed, services.repository),
        server: serverOf(baseUrl, request.headers.host),
        base,
        docs,
        nonce: request.nonce,
      };
      return { type: pageType, headers, body: queryPage(page) };
    },
  });
}

/** An invalid query is an outcome, which the page shows; any other failure is thrown. */
async function outcomeOf(
  services: QueryServices,
  request: Asking,
  sent: Sent,
  observed: (request: Asking, query: AlleleQuery) => Promise<ObservedHere | undefined>,
): Promise<Outcome> {
  try {
    const { query, exists, responses } = await answered(services, request, sent);
    return { exists, responses, observed: await observed(request, query) };
  } catch (error) {
    if (isFault(error) && (error.code === 'invalid' || error.code === 'too-many-requests'))
      return { error: error.message };
    throw error;
  }
}
