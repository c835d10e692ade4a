/** `POST /match/external/<id>`: asks other nodes about a stored patient. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import { isForeign } from '../contract.js';
import { messageAnswer, patientAnswer, stated, statements } from '../http/answers.js';
import { protectedAnswers, refusal } from '../http/errors.js';
import type { Node } from '../http/node.js';
import { idInAddress, patientParams } from '../http/params.js';

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
    .describe('Of each node that answered, what it found.'),
  errors: z
    .array(z.strictObject({ node: nodeName, error: z.string() }))
    .describe('Of each node that did not answer, or not only what it should, what happened.'),
});

export function externalRoute(node: Node): RouteDeclaration {
  return route({
    method: 'POST',
    path: '/match/external/:id',
    operation: 'matchExternal',
    summary: 'The patients on other nodes that are most like a stored one',
    description:
      'Sends the patient, which must be your own, to all connected nodes or to one of them, and waits for each no longer ' +
      'than the configured time. What they find is recorded; nodes that did not answer will be asked again.',
    access: node.access.submit,
    params: patientParams,
    query: z.object({ node: idInAddress().optional().describe('Only this node; ids are those of /nodes.') }),
    answers: {
      200: {
        description: 'What the nodes answered, or why none was asked.',
        content: { 'application/json': z.union([answer, messageAnswer]) },
      },
      ...protectedAnswers,
      400: refusal('A parameter is wrong.'),
    },
    async handle({ params: { id }, input: { node: only }, principal, signal }) {
      const stored = await node.patients.patient(id);
      // Another owner's patient is not told from none.
      if (!stored || isForeign(stored, await node.access.writerOf(principal))) {
        return { body: { message: `ERROR. Could not find any patient with ID ${id} in database` } };
      }
      const peers = await node.exchange.peers();
      const asked = only === undefined ? peers : peers.filter((peer) => peer.id === only);
      if (only !== undefined && asked.length === 0) {
        return { body: { message: `ERROR. Could not find any connected node with id ${only} in database` } };
      }
      if (asked.length === 0) {
        return { body: { message: 'Could not find any other node connected to this MatchMaker server' } };
      }
      const name = randomUUID();
      const outcomes = await node.exchange
        .search(stored, asked, { name, signal, onDemand: true })
        .finally(() => node.mail.over(name));
      return {
        body: {
          ...statements(node.settings),
          results: outcomes.flatMap(({ node, patients }) => (patients ? [{ node, patients }] : [])),
          errors: outcomes.flatMap(({ node, error }) => (error === undefined ? [] : [{ node, error }])),
        },
      };
    },
  });
}
