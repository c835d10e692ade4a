/**
 * `GET|POST /apiv1.0/query_form` (contract, section 4): the query as a page, with its result or error and the list of public
 * datasets. It searches public datasets only, as the contract prescribes, whatever credentials are sent. To callers who may see
 * observations it also shows how often the allele was seen.
 */
import { z } from 'zod';
import { assemblyNamed } from '../../../../core/genome.js';
import {
  anonymous,
  type Caller,
  type Html,
  html,
  isFault,
  negotiated,
  page,
  type RequestHead,
  type RouteDeclaration,
  route,
  style,
} from '../../../../core/plugin.js';
import { type AlleleAnswer, type DatasetAnswer, questionOfQuery } from '../../ask.js';
import type { AlleleQuery, Dataset } from '../../contract.js';
import { denominatorWords, grouped } from '../../counts/denominator.js';
import type { SeenDataset } from '../../protection/guard.js';
import { addressOfServer, type BeaconServices, pathBefore } from '../../services.js';
import type { BeaconSettings } from '../../settings.js';
import { alert, day, fact, observationLink, observationsPath, outcomeOf, sheet } from '../pages.js';
import { errorResponse, queryAnswer, queryResponse } from './answers.js';
import {
  curlOfQuery,
  exampleLinks,
  firstOfParameter,
  givenParameters,
  linkOfQuery,
  type QueryExample,
  queryForm,
} from './form-fields.js';
import { sampleRequests } from './information.js';
import { echoOfQuery, formType, isGiven, misspelt, parameters, type SentQuery, sentBy } from './parameters.js';
import { type AbortableHead, answerQuery, jsonType } from './query.js';

export const formPath = '/apiv1.0/query_form';

const pageType = 'text/html';

/** Most bytes of a submitted form, so that the page that repeats it stays readable. */
const limit = 65_536;

export function formRoute(services: BeaconServices): RouteDeclaration {
  const { settings, baseUrl, docs } = services;
  const datasets = {
    ...services.datasets,
    current: async () => services.guard.open(anonymous, await services.datasets.current()),
  };
  const open: BeaconServices = {
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
        const answer = await answerQuery(open, request, sent);
        return { headers, body: queryAnswer(settings.id, echoOfQuery(sent), answer) };
      }
      const some = givenParameters(sent).length > 0 || misspelt(sent) !== undefined || isGiven(sent.parameters.query);
      const asked = request.method === 'POST' || some;
      const ask = async () => {
        const answer = await answerQuery(open, request, sent);
        return { ...answer, observed: await observed(request, answer.query) };
      };
      const outcome = asked ? await outcomeOf(['invalid', 'too-many-requests'], ask) : undefined;
      const listed = await datasets.current();
      const page = {
        settings,
        datasets: listed,
        sent,
        ...(outcome && { outcome }),
        examples: asked ? [] : await sampleRequests(listed, services.repository),
        server: addressOfServer(baseUrl, request.headers.host),
        base,
        docs,
        nonce: request.nonce,
      };
      return { type: pageType, headers, body: queryPage(page) };
    },
  });
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

/**
 * Undefined if the query is for more than one allele, or if the caller may not observe any dataset of the assembly. A credential
 * that is not valid counts as none: the page is open to every client, with any credential.
 */
async function observedHere(
  { observing, observer }: BeaconServices,
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

// The result of a query on the page, or its error, and the list of public datasets.

interface QueryResult extends AlleleAnswer {
  /** What was seen of the allele in datasets that the caller may observe, if any. */
  observed?: ObservedHere | undefined;
}

type QueryOutcome = QueryResult | { /** What is wrong with the query, in one sentence. */ error: string };

/** A short result for the title of the page, which screen readers read first. */
function headlineOfQuery(outcome: QueryOutcome): string {
  if ('error' in outcome) return 'Error in the query';
  return outcome.exists ? 'Allele found' : 'Allele not found';
}

interface ObservedHere {
  /** Address of the page with the details. */
  href: string;
  datasets: readonly {
    name: string;
    cases: number;
    of: number;
    /** Out of how many samples in which it could have been seen. */
    words: string;
  }[];
}

interface FormQuery {
  outcome: QueryOutcome;
  sent: SentQuery;
  /** The datasets that may be queried. */
  datasets: readonly Dataset[];
  /** The address of the server. */
  server: string;
}

function outcomeSection({ outcome, sent, datasets, server }: FormQuery): Html {
  return html`<section class="card" id="answer" aria-labelledby="answer-title">
<h2 id="answer-title">Result</h2>
${'error' in outcome ? alert('danger', outcome.error) : resultCard(outcome, sent, datasets)}
${givenParameters(sent).length > 0 && requestCard(sent, server)}
</section>`;
}

function requestCard(sent: SentQuery, server: string): Html {
  const link = linkOfQuery(sent);
  return html`<h3>Query</h3>
<dl class="given">
${givenParameters(sent).map(([name, texts]) => html`<div><dt>${name}</dt><dd>${someOf(texts)}${name === 'start' && vcfPosition(texts)}</dd></div>\n`)}</dl>
<h3>Command line</h3>
<pre><code>${curlOfQuery(sent, server)}</code></pre>
<p class="actions">${link && html`<a href="${link}">Link to this query</a> `}<a href="#form">Edit the query</a></p>`;
}

/** Most values shown for one parameter: more would hide the result. */
const mostShown = 20;

function someOf(texts: readonly string[]): string {
  const shown = texts.slice(0, mostShown).join(', ');
  return texts.length > mostShown ? `${shown} and ${texts.length - mostShown} more` : shown;
}

/** Users compare with VCF files, whose positions are 1-based. */
function vcfPosition([start = '']: readonly string[]): Html | undefined {
  if (!/^\d{1,9}$/.test(start)) return undefined;
  return html` <span class="soft">(position ${Number(start) + 1} in a VCF file)</span>`;
}

function resultCard(
  { exists, datasets: responses, observed }: QueryResult,
  sent: SentQuery,
  datasets: readonly Dataset[],
): Html {
  const assembly = firstOfParameter(sent, 'assemblyId');
  const searched = datasets.some((dataset) => dataset.assembly === assemblyNamed(assembly));
  const include = firstOfParameter(sent, 'includeDatasetResponses');
  const asked = include !== '' && include !== 'NONE';
  return html`${exists ? alert('success', 'Allele was found in this beacon') : alert('secondary', 'Allele could not be found')}
${observed?.datasets.map(
  ({
    name,
    cases,
    of,
    words,
  }) => html`<p class="observed">Seen in <a href="${observed.href}">${grouped(cases)} of ${grouped(of)} cases</a> here: ${name}. <span class="soft">${words}.</span></p>
`,
)}
${!searched && alert('warning', `No public dataset uses the assembly ${assembly}. No dataset was searched.`)}
${responses.length > 0 && responseTable(responses)}
${asked && responses.length === 0 && html`<p>There is no dataset to list for ${include}.</p>`}`;
}

/** On a narrow screen rows become blocks; hence the explicit roles, and cells that name their column. */
function responseTable(rows: readonly DatasetAnswer[]): Html {
  const cell = (label: string, content: Html | string) => html`<td role="cell" data-label="${label}">${content}</td>`;
  const count = (label: string, value: number | undefined, { guarded }: SeenDataset) =>
    html`<td role="cell" class="count" data-label="${label}">${guarded ? html`<span class="soft">withheld</span>` : grouped(value ?? 0)}</td>`;
  const head = (label: string, name: string) =>
    html`<th scope="col" role="columnheader">${label} <code>${name}</code></th>`;
  return html`<table role="table">
<caption>Per dataset: matching alleles (variants), calls of these alleles, and samples that carry at least one of them.</caption>
<thead role="rowgroup"><tr role="row">${head('Dataset', 'datasetId')}${head('Access', 'accessType')}${head('Result', 'exists')}${head('Variants', 'variantCount')}${head('Calls', 'callCount')}${head('Samples', 'sampleCount')}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  ({ dataset, exists, counts }) => html`<tr role="row">
<th scope="row" role="rowheader">${dataset.id}</th>
${cell('Access', dataset.access)}
${cell('Result', html`<span class="alert alert-${exists ? 'success' : 'secondary'}">Allele exists: ${exists ? 'True' : 'False'}</span>`)}
${count('Variants', counts?.alleles, dataset)}${count('Calls', counts?.calls, dataset)}${count('Samples', counts?.samples, dataset)}
</tr>
`,
)}</tbody>
</table>`;
}

// The list of public datasets on the query page.

function datasetSection(datasets: readonly Dataset[]): Html {
  return html`<section id="datasets" aria-labelledby="datasets-title">
<h2 id="datasets-title">Public datasets</h2>
<p class="soft">This page searches public datasets only. Registered and controlled datasets are queried at <code>/apiv1.0/query</code>, with an API token that has the scope <code>beacon:read</code>.</p>
${datasets.length === 0 && alert('warning', 'This beacon has no public dataset yet.')}
<ul class="cards">
${datasets.map(datasetCard)}</ul>
</section>`;
}

function datasetCard(dataset: Dataset): Html {
  const { id, name, description, externalUrl } = dataset;
  return html`<li class="card">
<h3>${name} <span class="soft">${id}</span></h3>
${description !== undefined && html`<p>${description}</p>`}
<dl class="facts">
${fact('Access', dataset.access)}
${fact('Assembly', dataset.assembly)}
${fact('Version', Number.isInteger(dataset.version) ? dataset.version.toFixed(1) : String(dataset.version))}
${fact('Variants', grouped(dataset.alleleCount))}
${fact('Calls', grouped(dataset.callCount))}
${fact('Samples', grouped(dataset.sampleCount))}
${fact('Created', day(dataset.created))}
${fact('Updated', day(dataset.updated))}
</dl>
${externalUrl !== undefined && html`<p><a href="${externalUrl}" rel="noreferrer">Website of the dataset</a></p>`}
</li>
`;
}
