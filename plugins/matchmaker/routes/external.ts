/** `POST /match/external/<id>`: queries other nodes with a stored patient. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import { ownersIn } from '../http/access.js';
import {
  messageAnswer,
  patientAnswer,
  protectedAnswers,
  refusal,
  stated,
  statements,
  unlessEmpty,
} from '../http/answers.js';
import { idInAddress, patientParams } from '../http/input.js';
import type { MatchmakerServices } from '../services.js';

const nodeName = z.strictObject({ id: z.string(), label: z.string() });

const answer = z.strictObject({
  ...stated,
  results: z
    .array(
      z.strictObject({
        node: nodeName,
        patients: z.array(z.strictObject({ patient: patientAnswer, score: z.looseObject({ patient: z.number() }) })),
      }),
    )
    .describe('The patients that each responding node found.'),
  errors: z
    .array(z.strictObject({ node: nodeName, error: z.string() }))
    .describe(
      'The error of each node that failed or rests, has not responded yet, or sent a response invalid in part.',
    ),
  _pending: z
    .array(nodeName)
    .optional()
    .describe('Nodes that have not responded in time; what they find is recorded, and listed by /matches.'),
});

/** Seconds: more than any proxy waits. */
const longestWait = 300;

export function externalRoute({
  settings,
  access,
  patients,
  exchange,
  mail,
  trail,
}: MatchmakerServices): RouteDeclaration {
  return route({
    method: 'POST',
    path: '/match/external/:id',
    operation: 'matchExternal',
    summary: 'Search connected nodes for patients similar to a stored patient',
    description:
      'Sends the patient, which must be your own, to all connected nodes or to one of them, and returns what came within ' +
      '`timeout` seconds, or the `wait` of the header `Prefer`, or the configured time. Later responses are recorded: ' +
      '/matches lists them. Nodes that did not respond are queried again. A node that failed rests for a while and is ' +
      'queried before only if `node` names it.',
    access: access.load.access,
    params: patientParams,
    query: z.object({
      node: idInAddress().optional().describe('Query only this node; its id is listed by /nodes.'),
      timeout: z.coerce
        .number('must be a number of seconds')
        .min(0, 'must not be negative')
        .max(longestWait, `must not exceed ${longestWait} seconds`)
        .optional()
        .describe('Seconds to wait for responses.'),
    }),
    answers: {
      200: {
        description: 'The results of the nodes, or a message if none was queried.',
        content: { 'application/json': z.union([answer, messageAnswer]) },
      },
      ...protectedAnswers,
      400: refusal('A parameter is not valid.'),
    },
    async handle(request) {
      const {
        params: { id },
        input: { node: only, timeout },
        headers,
        signal,
      } = request;
      const reach = await access.load.reachOf(request);
      // A patient of another owner looks like one that does not exist.
      const stored = await patients.patient(id, ownersIn(reach));
      if (!stored) {
        return { body: { message: `ERROR. Could not find any patient with ID ${id} in database` } };
      }
      const peers = await exchange.peers(signal);
      const asked = only === undefined ? peers : peers.filter((peer) => peer.id === only);
      if (only !== undefined && asked.length === 0) {
        return { body: { message: `ERROR. Could not find any connected node with id ${only} in database` } };
      }
      if (asked.length === 0) {
        return { body: { message: 'Could not find any other node connected to this MatchMaker server' } };
      }
      const [patientIds, nodes] = [[id], asked.map((peer) => peer.id)];
      await trail.further({ by: reach.by, action: 'search', patients: patientIds, nodes });
      const preferred = timeout === undefined ? preferredWait(headers.prefer) : undefined;
      const seconds = timeout ?? preferred ?? settings.exchange.waitSeconds;
      const name = randomUUID();
      const { outcomes, pending } = await exchange.searchFor(stored, asked, {
        name,
        waitMs: seconds * 1000,
        named: only !== undefined,
        signal,
        ended: () => mail.over(name),
      });
      return {
        ...(preferred !== undefined && { headers: { 'Preference-Applied': `wait=${preferred}` } }),
        body: {
          ...statements(settings),
          results: outcomes.flatMap(({ node, patients }) => (patients ? [{ node, patients }] : [])),
          errors: outcomes.flatMap(({ node, error }) => (error === undefined ? [] : [{ node, error }])),
          _pending: unlessEmpty(pending),
        },
      };
    },
  });
}

/** The `wait` of the header `Prefer` (RFC 7240), in whole seconds. A preference that is not valid is ignored. */
function preferredWait(header: string | string[] | undefined): number | undefined {
  for (const preference of [header ?? []].flat().join().split(',')) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:;|$)/i.exec(preference) ?? [];
    if (seconds !== undefined) return Math.min(Number(seconds), longestWait);
  }
  return undefined;
}
