/** `GET /matches/<id>`: what searches found for a patient, and which searches found it. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import type { MatchPage, MatchRecord, StoredPatient } from '../contract.js';
import { writerOf } from '../http/access.js';
import { messageAnswer, patientAnswer, stated, statements } from '../http/answers.js';
import { protectedAnswers, refusal } from '../http/errors.js';
import type { Node } from '../http/node.js';
import { next, paging } from '../http/paging.js';
import { patientParams } from '../http/params.js';

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
    description:
      'Of a patient of your own, your searches and those of others that found it; of any other id, only the searches ' +
      'that you made yourself.',
    access: node.access.query,
    params: patientParams,
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
      const stored = all ? undefined : await node.patients.patient(id);
      const own = stored?.owner === owner ? stored : undefined;
      const page = {
        patient: id,
        limit,
        ...(all || own ? {} : { asker: owner }),
        ...(after === undefined ? {} : { after }),
      };
      const { records, next } = await pageOf(node, page, (record) => own === undefined || concerns(record, own));
      if (records.length === 0) {
        return { body: { message: `Could not find any matches in database for patient ID ${id}` } };
      }
      await node.audit.add([{ at: node.now(), actor: owner, action: 'read', patient: id }]);
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

/**
 * Whether a search concerns a stored patient, whose id others may use for another one: it was the query, of its owner or
 * of an administrator, or it was found. Only this node's searches can find it, and those of others only since it is stored.
 */
function concerns({ asker, number, patient, type, created, results }: MatchRecord, own: StoredPatient): boolean {
  const isOwners = asker === own.owner;
  const { id } = own.patient;
  if (patient.id === id && (isOwners || number === own.number)) return true;
  if (type !== 'internal' || (!isOwners && created < own.created)) return false;
  return results.some(({ patients }) => patients.some((found) => found.patient.id === id));
}

/** The first page that has a record to be shown; fewer than the limit may be on it though there is a next one. */
async function pageOf({ matches }: Node, first: MatchPage, isShown: (record: MatchRecord) => boolean) {
  for (let page = first; ; ) {
    const { records, next } = await matches.matches(page);
    const shown = records.filter(isShown);
    if (shown.length > 0 || next === undefined) return { records: shown, next };
    page = { ...page, after: next };
  }
}
