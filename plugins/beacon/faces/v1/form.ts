/**
 * `GET|POST /apiv1.0/query_form` (contract, section 4): the query as a page. It searches public datasets only, as the contract
 * prescribes, whatever credentials are sent. To callers who may see observations it also shows how often the allele was seen.
 */
import { z } from 'zod';
import {
  anonymous,
  type Caller,
  html,
  isFault,
  negotiated,
  page,
  type RequestHead,
  type RouteDeclaration,
  route,
  style,
} from '../../../../core/plugin.js';
import type { AlleleQuery, Dataset } from '../../contract.js';
import { denominatorWords } from '../../counts/denominator.js';
import { type BeaconServices, pathBefore, serverOf } from '../../services.js';
import type { BeaconSettings } from '../../settings.js';
import { observationLink, observationsPath, sheet } from '../pages.js';
import { questionOfQuery } from '../query/observed.js';
import { errorResponse, queryAnswer, queryResponse } from './answers.js';
import { exampleLinks, givenOf, type QueryExample, queryForm } from './form-fields.js';
import {
  datasetSection,
  headlineOfQuery,
  type ObservedHere,
  outcomeSection,
  type QueryOutcome,
} from './form-result.js';
import { sampleRequests } from './information.js';
import { echoOf, formType, isGiven, misspelt, parameters, type SentQuery, sentBy } from './parameters.js';
import { type AbortableHead, answerQuery, jsonType, type QueryServices } from './query.js';

// `GET|POST /apiv1.0/query_form`: the query as a page. It searches public datasets only, as the contract prescribes,
// whatever credentials are sent. To callers who may see observations it also says how often the allele was seen.

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
  const observed = (request: AbortableHead, query: AlleleQuery) => observedHere(services, request, query, base);
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
        const { exists, responses } = await answerQuery(open, request, sent);
        return { headers, body: queryAnswer(settings.id, echoOf(sent), exists, responses) };
      }
      const some = givenOf(sent).length > 0 || misspelt(sent) !== undefined || isGiven(sent.parameters.query);
      const asked = request.method === 'POST' || some;
      const outcome = asked ? await outcomeOfForm(open, request, sent, observed) : undefined;
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
async function outcomeOfForm(
  services: QueryServices,
  request: AbortableHead,
  sent: SentQuery,
  observed: (request: AbortableHead, query: AlleleQuery) => Promise<ObservedHere | undefined>,
): Promise<QueryOutcome> {
  try {
    const { query, exists, responses } = await answerQuery(services, request, sent);
    return { exists, responses, observed: await observed(request, query) };
  } catch (error) {
    if (isFault(error) && (error.code === 'invalid' || error.code === 'too-many-requests'))
      return { error: error.message };
    throw error;
  }
}

// The page at query_form (contract, section 4): a form for a query of the public datasets, and its result.

interface QueryPage {
  settings: BeaconSettings;
  /** The datasets that may be queried. */
  datasets: readonly Dataset[];
  sent: SentQuery;
  /** Omitted if there was no query. */
  outcome?: QueryOutcome;
  /** Queries with a hit, to start from. */
  examples: readonly QueryExample[];
  /** Address of the server, for commands. */
  server: string;
  /** The path of the public address, which precedes every link; empty if the server is at the root. */
  base: string;
  /** Path of the API documentation; undefined if it is off. */
  docs: string | undefined;
  nonce: string;
}

function queryPage({ settings, datasets, sent, outcome, examples, server, base, docs, nonce }: QueryPage): string {
  const { name, description, organisation } = settings;
  return page({
    title: outcome ? `${headlineOfQuery(outcome)} · ${name}` : name,
    schemes: 'light dark',
    head: style(nonce, sheet),
    body: html`<body>
<a class="skip" href="#form">Skip to the form</a>
<header>
<h1>${name}</h1>
<p class="soft">${description}</p>
</header>
<main>
${outcome && outcomeSection({ outcome, sent, datasets, server })}
${exampleLinks(examples)}
${queryForm({ beacon: name, datasets, sent, asked: outcome !== undefined })}
${datasetSection(datasets)}
</main>
<footer>
${organisation.name && html`<p class="soft">${organisation.name}</p>`}
<nav aria-label="The beacon"><ul class="links">
<li><a href="${base}/apiv1.0/">Beacon information</a></li>
<li><a href="${base}${observationsPath}">Local observations</a></li>
${docs !== undefined && html`<li><a href="${docs}">API documentation</a></li>\n`}<li><a href="${base}/">All services of this server</a></li>
</ul></nav>
</footer>
</body>`,
  });
}

// What was seen of a queried allele, for callers of the query page who may see observations.

type ObservingServices = Pick<BeaconServices, 'observing' | 'observer'>;

/**
 * Undefined if the query is for more than one allele, or if the caller may not observe any dataset of the assembly. A credential
 * that is not valid counts as none: the page is open to every client, with any credential.
 */
async function observedHere(
  { observing, observer }: ObservingServices,
  request: RequestHead & { signal: AbortSignal },
  query: AlleleQuery,
  base: string,
): Promise<ObservedHere | undefined> {
  const question = questionOfQuery(query);
  if (!question) return undefined;
  const caller = await observer.callerOf(request).catch(withoutCredential);
  if (caller.kind === 'anonymous') return undefined;
  const { assembly } = query;
  const open = await observing.named(caller, assembly, []);
  if (open.length === 0) return undefined;
  const [seen = []] = await observing.count(open, assembly, [question], request);
  const datasets = seen.map(({ dataset: { name }, observation: { cases, carriers, of }, denominator }) => ({
    name,
    cases,
    of: of.cases,
    words: denominatorWords(denominator, carriers),
  }));
  return { href: observationLink(base, assembly, question), datasets };
}

function withoutCredential(error: unknown): Caller {
  if (isFault(error) && error.code === 'unauthenticated') return anonymous;
  throw error;
}
