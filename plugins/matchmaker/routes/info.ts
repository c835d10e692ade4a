/** `GET /heartbeat`, `/metrics` and `/nodes`: the state of this node, its counters and its connections. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import type { MatchmakerRepository, MatchRepository } from '../contract.js';
import { healthOf } from '../exchange/health.js';
import { protectedAnswers, stated, statements } from '../http/answers.js';
import { vendorTypes } from '../http/media.js';
import { acknowledgement, versions } from '../resources/report.js';
import type { MatchmakerServices } from '../services.js';

const heartbeat = z.strictObject({
  ...stated,
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
  ...stated,
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

const seconds = () => z.number().min(0);
const node = z.strictObject({
  id: z.string(),
  description: z.string(),
  _health: z.strictObject({
    state: z
      .enum(['not queried yet', 'responding', 'failing', 'resting'])
      .describe('`resting`: it failed, and is not queried for now unless a client names it.'),
    lastSuccess: z.iso.datetime().optional(),
    lastFailure: z.iso.datetime().optional(),
    failure: z.string().optional().describe('The last failure: continues a sentence that begins with the node.'),
    failures: count().describe('Failures since it last responded.'),
    restingUntil: z.iso.datetime().optional(),
    pending: count().describe('Queries that will be repeated.'),
    responseSeconds: z
      .strictObject({ median: seconds(), p95: seconds() })
      .optional()
      .describe('Of its last hundred responses to this process.'),
  }),
});

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
            _resources: { versions: versions(inUse), acknowledgement: acknowledgement(inUse) },
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
        return { body: { ...statements(settings), metrics: await countersOf(services) } };
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
            _health: healthOf(peer, exchange.restsUntil(peer.state), exchange.responseTimes(peer.id)),
          })),
        };
      },
    }),
  ];
}

interface Counted {
  patients: Pick<MatchmakerRepository, 'counts'>;
  matches: Pick<MatchRepository, 'counts'>;
  now(): Date;
}

export type Counters = Awaited<ReturnType<typeof countersOf>>;

export async function countersOf({ patients: store, matches: searches, now }: Counted) {
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
