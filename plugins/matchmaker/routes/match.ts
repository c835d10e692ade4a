/** `POST /match`: the stored patients that are most like the one sent. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import { mediaFirst, writerOf } from '../http/access.js';
import { documented, patientAnswer, stated, statements, warnings } from '../http/answers.js';
import { bodyAnswers } from '../http/errors.js';
import { answerType, bodyTypes, json, vendorTypes } from '../http/media.js';
import type { Node } from '../http/node.js';
import { sentBody } from '../http/sent.js';
import { presented, warningsOf } from '../patient/present.js';
import { readSubmission, submissionSchema } from '../patient/schema.js';

const answer = z.strictObject({
  ...stated,
  results: z.array(
    z.strictObject({
      score: z.looseObject({
        patient: z.number().min(0).max(1),
        _genotype: z.number().min(0).max(1),
        _phenotype: z.number().min(0).max(1),
      }),
      patient: patientAnswer,
    }),
  ),
  _warnings: warnings.optional(),
});

/** How this node is called in records of matches. */
export const thisNode = { id: 'trefoil', label: 'This server' } as const;

export function matchRoute(node: Node): RouteDeclaration {
  return route({
    method: 'POST',
    path: '/match',
    operation: 'match',
    summary: 'The stored patients that are most like the one sent',
    description:
      'At most MAX_RESULTS patients, none that scores below SCORE_THRESHOLD or shares nothing, best first and ties by ' +
      'id. The patient is not stored, but for the record of what was found.',
    access: mediaFirst(node.access.query),
    body: { types: bodyTypes, schema: documented(submissionSchema) },
    answers: {
      200: {
        description: 'Patients and their scores.',
        content: Object.fromEntries([...vendorTypes, json].map((type) => [type, answer])),
      },
      ...bodyAnswers,
    },
    async handle(request) {
      const patient = readSubmission(sentBody(request.body));
      const { ontology, genes } = node.resources();
      const found = await node.search(patient);
      const results = found.matches.map((match) => ({ score: match.score, patient: presented(match.patient, genes) }));
      const { owner, all } = writerOf(request.principal);
      // Another owner's patient of this id is another patient.
      const stored = await node.patients.patient(patient.id);
      const own = stored && (all || stored.owner === owner) ? { number: stored.number } : {};
      await node.matches.add({
        id: randomUUID(),
        created: node.now(),
        type: 'internal',
        direction: 'incoming',
        asker: owner,
        ...own,
        patient: presented(patient, genes),
        results: results.length === 0 ? [] : [{ node: thisNode, patients: results }],
        errors: [],
        matchedGenes: found.genes,
      });
      const remarks = warningsOf(patient, ontology);
      return {
        type: answerType(request),
        headers: { Vary: 'Accept, Content-Type' },
        body: { ...statements(node.settings), results, ...(remarks.length === 0 ? {} : { _warnings: remarks }) },
      };
    },
  });
}
