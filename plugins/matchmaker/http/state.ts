/**
 * The state of the node for other nodes, operators and browsers: `GET /heartbeat`, `/metrics`, `/nodes` and the page at
 * `/matchmaker`.
 */
import { z } from 'zod';
import {
  type Exposure,
  type Html,
  html,
  page,
  type RouteDeclaration,
  raw,
  route,
  style,
} from '../../../core/plugin.js';
import type { KnownNode, MatchmakerRepository, MatchRepository, ResourceKind } from '../contract.js';
import type { Exchange } from '../exchange/exchange.js';
import { healthAnswer, healthOfNode } from '../exchange/health.js';
import { protectedAnswers, statements, statementsAnswer, vendorTypes } from '../exchange/protocol.js';
import { acknowledgement, resourceVersions } from '../resources/resources.js';
import type { MatchmakerServices } from '../services.js';
import type { MatchmakerSettings } from '../settings.js';

const heartbeat = z.strictObject({
  ...statementsAnswer,
  heartbeat: z.strictObject({ production: z.boolean(), version: z.string(), accept: z.array(z.string()) }),
  _resources: z.strictObject({
    versions: z
      .record(z.string(), z.string())
      .describe('Versions in use of the ontology, annotations, genes, lift-over chains and mappings of diseases.'),
    acknowledgement: z.string(),
  }),
});

const count = () => z.int().min(0);
const metrics = z.strictObject({
  ...statementsAnswer,
  metrics: z.strictObject({
    dateGenerated: z.iso.date(),
    numberOfCases: count(),
    numberOfCasesWithDiagnosis: count(),
    numberOfFeatures: count(),
    numberOfFeatureSets: count(),
    numberOfGenes: count(),
    numberOfPotentialMatchesSent: count(),
    numberOfRequestsReceived: count(),
    numberOfSubmitters: count(),
    numberOfUniqueFeatures: count(),
    numberOfUniqueGenes: count(),
    numberOfUniqueGenesMatched: count(),
    numberOfUniqueVariants: count(),
    numberOfVariants: count(),
  }),
});

const node = z.strictObject({ id: z.string(), description: z.string(), _health: healthAnswer });

export function infoRoutes(services: MatchmakerServices): RouteDeclaration[] {
  const { settings, access, version, production, resources, exchange } = services;

  return [
    route({
      method: 'GET',
      path: '/heartbeat',
      operation: 'heartbeat',
      summary: 'State of the node and supported media types',
      access: access.state,
      answers: {
        200: { description: 'The node is running.', content: { 'application/json': heartbeat } },
        ...protectedAnswers,
      },
      handle() {
        const inUse = resources();
        return {
          body: {
            ...statements(settings),
            heartbeat: { production, version, accept: vendorTypes },
            _resources: { versions: resourceVersions(inUse), acknowledgement: acknowledgement(inUse) },
          },
        };
      },
    }),

    route({
      method: 'GET',
      path: '/metrics',
      operation: 'metrics',
      summary: 'Counters of the node',
      ...(settings.protectMetrics ? { access: access.state } : {}),
      answers: {
        200: { description: 'The counters.', content: { 'application/json': metrics } },
        ...(settings.protectMetrics ? protectedAnswers : {}),
      },
      async handle() {
        return { body: { ...statements(settings), metrics: await nodeCounters(services) } };
      },
    }),

    route({
      method: 'GET',
      path: '/nodes',
      operation: 'listNodes',
      summary: 'List connected nodes',
      access: access.state,
      answers: {
        200: {
          description: 'Ids and descriptions, for /match/external; an empty array if no node is connected.',
          content: { 'application/json': z.array(node) },
        },
        ...protectedAnswers,
      },
      async handle({ signal }) {
        const peers = await exchange.peers(signal);
        return {
          body: peers.map((peer) => ({
            id: peer.id,
            description: peer.label,
            _health: healthOfNode(peer, exchange.restsUntil(peer.state), exchange.responseTimes(peer.id)),
          })),
        };
      },
    }),
  ];
}

interface CounterSources {
  patients: Pick<MatchmakerRepository, 'counts'>;
  matches: Pick<MatchRepository, 'counts'>;
  now(): Date;
}

type Counters = Awaited<ReturnType<typeof nodeCounters>>;

async function nodeCounters({ patients: store, matches: searches, now }: CounterSources) {
  const [patients, matches] = await Promise.all([store.counts(), searches.counts()]);
  return {
    dateGenerated: now().toISOString().slice(0, 10),
    numberOfCases: patients.cases,
    numberOfCasesWithDiagnosis: patients.diagnosed,
    numberOfFeatures: patients.features.total,
    numberOfFeatureSets: patients.featureSets,
    numberOfGenes: patients.genes.total,
    numberOfPotentialMatchesSent: matches.sent,
    numberOfRequestsReceived: matches.requests,
    numberOfSubmitters: patients.submitters,
    numberOfUniqueFeatures: patients.features.unique,
    numberOfUniqueGenes: patients.genes.unique,
    numberOfUniqueGenesMatched: matches.uniqueGenes,
    numberOfUniqueVariants: patients.variants.unique,
    numberOfVariants: patients.variants.total,
  };
}

// `GET /matchmaker`: a page with the state and the counters of the node.

export const dashboardPath = '/matchmaker';

/** The page shows what /metrics returns, so it is not open if /metrics needs a token. */
export function dashboardExposure({ page, protectMetrics }: MatchmakerSettings): Exposure {
  return page === 'open' && protectMetrics ? 'off' : page;
}

export function dashboardRoute(services: MatchmakerServices): RouteDeclaration {
  return route({
    method: 'GET',
    path: dashboardPath,
    operation: 'dashboard',
    summary: 'Dashboard: counters, connected nodes and resources',
    answers: {
      200: { description: 'The page.', content: { 'text/html': z.string() } },
    },
    async handle({ nonce, signal }) {
      const [counters, peers] = await Promise.all([nodeCounters(services), services.exchange.peers(signal)]);
      return { type: 'text/html', body: dashboard(services, counters, peers, nonce) };
    },
  });
}

const titles: readonly (readonly [keyof Counters, string])[] = [
  ['numberOfCases', 'Patients'],
  ['numberOfCasesWithDiagnosis', 'Patients with a diagnosis'],
  ['numberOfSubmitters', 'Submitters'],
  ['numberOfFeatures', 'Features'],
  ['numberOfUniqueFeatures', 'Distinct features'],
  ['numberOfFeatureSets', 'Distinct sets of features'],
  ['numberOfGenes', 'Genes'],
  ['numberOfUniqueGenes', 'Distinct genes'],
  ['numberOfUniqueGenesMatched', 'Distinct genes matched'],
  ['numberOfVariants', 'Variants'],
  ['numberOfUniqueVariants', 'Distinct variants'],
  ['numberOfRequestsReceived', 'Requests received'],
  ['numberOfPotentialMatchesSent', 'Potential matches sent'],
];

const resourceTitles: Readonly<Record<ResourceKind, string>> = {
  ontology: 'Human Phenotype Ontology',
  annotations: 'Disease annotations',
  genes: 'Genes',
  'lift-37-38': 'Lift-over GRCh37 → GRCh38',
  'lift-38-37': 'Lift-over GRCh38 → GRCh37',
  diseases: 'Mappings of diseases',
};

function dashboard(
  { settings, version, production, resources, exchange }: MatchmakerServices,
  counters: Counters,
  peers: readonly KnownNode[],
  nonce: string,
): string {
  const inUse = resources();
  const versionOf = resourceVersions(inUse);
  const { disclaimer, terms } = settings;
  return page({
    title: 'Matchmaker',
    schemes: 'light dark',
    head: style(nonce, dashboardStyle),
    body: html`<body>
<header>
<h1>Matchmaker</h1>
<p class="soft">Trefoil v${version}, ${production ? 'in production' : 'not in production'}; ${counters.dateGenerated}</p>
</header>
<main>
<section class="card" aria-labelledby="numbers">
<h2 id="numbers">Counters</h2>
<table><tbody>${titles.map(
      ([name, title]) => html`
<tr><th scope="row">${title}</th><td class="number">${counters[name]}</td></tr>`,
    )}
</tbody></table>
</section>
<section class="card" aria-labelledby="nodes">
<h2 id="nodes">Connected nodes</h2>
${peers.length === 0 ? html`<p>None.</p>` : peerTable(peers, exchange)}
</section>
<section class="card" aria-labelledby="resources">
<h2 id="resources">Resources</h2>
<ul>${inUse.releases.map(({ kind }) => html`<li>${resourceTitles[kind]}: ${versionOf[kind]}</li>`)}</ul>
<p>${acknowledgement(inUse)}</p>
</section>
</main>
<footer>
${disclaimer !== '' && html`<p>${disclaimer}</p>`}
${terms !== '' && html`<p>${terms}</p>`}
<nav aria-label="More"><a href="./">All services</a></nav>
</footer>
</body>`,
  });
}

function peerTable(peers: readonly KnownNode[], exchange: Pick<Exchange, 'restsUntil'>): Html {
  return html`<table class="nodes">
<thead><tr><th scope="col">Node</th><th scope="col">Description</th><th scope="col">Last response</th><th scope="col">State</th></tr></thead>
<tbody>${peers.map(
    ({ id, label, state }) => html`
<tr><td>${id}</td><td>${label}</td><td data-title="Last response: ">${timeText(state.lastSuccess)}</td><td data-title="State: ">${peerStateText(state, exchange.restsUntil(state))}</td></tr>`,
  )}
</tbody></table>`;
}

function peerStateText({ failures, lastSuccess, lastFailure }: KnownNode['state'], resting: Date | undefined): string {
  const rest = resting ? `; rests until ${timeText(resting)}` : '';
  if (failures > 0) return `no response since ${timeText(lastSuccess ?? lastFailure)}${rest}`;
  return lastSuccess ? 'responding' : 'not queried yet';
}

/** In UTC, to the minute. */
function timeText(time: Date | undefined): string {
  return time === undefined ? 'never' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const dashboardStyle = raw(`
main { display: grid; gap: 1rem; margin-top: 1.75rem; margin-bottom: 1.75rem; }
section { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; font-weight: normal; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); }
@media (min-width: 40rem) { td:first-child { white-space: nowrap; } }
@media (max-width: 40rem) {
  .nodes thead { display: none; }
  .nodes tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .nodes tr:last-child { border-bottom: 0; }
  .nodes td { display: block; padding: 0; border: 0; }
  .nodes td:first-child { font-weight: bold; }
  .nodes td[data-title]::before { content: attr(data-title); color: var(--soft); }
}
tr:last-child th, tr:last-child td { border-bottom: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
ul { margin: 0 0 .75rem; padding-left: 1.25rem; }
`);
