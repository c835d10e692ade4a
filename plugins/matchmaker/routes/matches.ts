/** `GET /matches/<id>`: what searches found for a patient, and which searches found it. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import type { MatchRecord } from '../contract.js';
import { writerOf } from '../http/access.js';
import { messageAnswer, patientAnswer, stated, statements } from '../http/answers.js';
import { protectedAnswers, refusal } from '../http/errors.js';
import type { Node } from '../http/node.js';
import { next, paging } from '../http/paging.js';

const nodeName = z.strictObject({ id: z.string(), label: z.string() });

const record = z.strictObject({
  _id: z.strictObject({ $oid: z.string() }),
  created: z.strictObject({ $date: z.iso.datetime() }),
  data: z.strictObject({ patient: patientAnswer }),
  has_matches: z.literal(true),
  match_type: z.enum(['internal', 'external']),
  direction: z.enum(['incoming', 'outgoing']).describe('Whether we were asked, or asked others.'),
  results: z.array(
    z.strictObject({
      node: nodeName,
      patients: z.array(z.strictObject({ patient: patientAnswer, score: z.looseObject({ patient: z.number() }) })),
    }),
  ),
  errors: z.array(z.strictObject({ node: nodeName, error: z.string() })).optional(),
});

export function matchesRoute(node: Node): RouteDeclaration {
  return route({
    method: 'GET',
    path: '/matches/:id',
    operation: 'listMatches',
    summary: 'Searches in which a patient was the query, or was found',
    description: 'Of a patient that is not your own, only the searches that you made yourself are shown.',
    access: node.access.query,
    params: z.object({ id: z.string() }),
    query: paging(500),
    answers: {
      200: {
        description: 'Those that found a patient, oldest first; a message where there are none.',
        content: {
          'application/json': z.union([z.strictObject({ ...stated, matches: z.array(record), next }), messageAnswer]),
        },
      },
      ...protectedAnswers,
      400: refusal('A parameter is wrong.'),
    },
    async handle({ params: { id }, input: { limit, after }, principal }) {
      const { owner, all } = writerOf(principal);
      const own = all || (await node.patients.patient(id))?.owner === owner;
      const { records, next } = await node.matches.matches({
        patient: id,
        limit,
        ...(own ? {} : { asker: owner }),
        ...(after === undefined ? {} : { after }),
      });
      if (records.length === 0) {
        return { body: { message: `Could not find any matches in database for patient ID ${id}` } };
      }
      return {
        body: {
          ...statements(node.settings),
          matches: records.map(shown),
          ...(next === undefined ? {} : { next }),
        },
      };
    },
  });
}

function shown({ id, created, type, direction, patient, results, errors }: MatchRecord) {
  return {
    _id: { $oid: id },
    created: { $date: created.toISOString() },
    data: { patient },
    has_matches: true as const,
    match_type: type,
    direction,
    results,
    ...(type === 'external' ? { errors } : {}),
  };
}
