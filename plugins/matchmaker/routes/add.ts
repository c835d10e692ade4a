/** `POST /patient/add` and `DELETE /patient/delete/<id>`. */
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import { mediaFirst } from '../http/access.js';
import { documented, messageAnswer, warnings } from '../http/answers.js';
import { bodyAnswers, protectedAnswers, refusal } from '../http/errors.js';
import { bodyTypes } from '../http/media.js';
import type { Node } from '../http/node.js';
import { patientParams } from '../http/params.js';
import { sentBody } from '../http/sent.js';
import { addOne } from '../patient/adding.js';
import { warningsOf } from '../patient/present.js';
import { readSubmission, submissionSchema } from '../patient/schema.js';
import { deletePatient } from '../removal/deletion.js';

/** The words that clients know. */
const outcomes = {
  inserted: 'Patient was successfully inserted into database.',
  updated: 'Patient was successfully updated.',
  unchanged: 'Database content is unchanged.',
} as const;

export function addRoute(node: Node): RouteDeclaration {
  const add = addOne(node);
  return route({
    method: 'POST',
    path: '/patient/add',
    operation: 'addPatient',
    summary: 'Add a patient, or replace the one of the same id',
    access: mediaFirst(node.access.submit),
    body: { types: bodyTypes, schema: documented(submissionSchema) },
    answers: {
      200: {
        description: 'The patient is stored.',
        content: { 'application/json': messageAnswer.extend({ _warnings: warnings.optional() }) },
      },
      ...bodyAnswers,
    },
    async handle({ body, principal }) {
      const patient = readSubmission(sentBody(body));
      const resources = node.resources();
      const saved = await add(patient, resources.genes, await node.access.writerOf(principal));
      const found = warningsOf(patient, resources);
      return { body: { message: outcomes[saved.outcome], ...(found.length === 0 ? {} : { _warnings: found }) } };
    },
  });
}

export function deleteRoute(node: Node): RouteDeclaration {
  return route({
    method: 'DELETE',
    path: '/patient/delete/:id',
    operation: 'deletePatient',
    summary: 'Delete a patient, and the records of matches in which it was the query',
    access: node.access.submit,
    params: patientParams,
    answers: {
      200: {
        description: 'Whether there was one to delete; the message says so.',
        content: { 'application/json': messageAnswer },
      },
      ...protectedAnswers,
      400: refusal('The id is none.'),
    },
    async handle({ params: { id }, principal }) {
      const scrub = node.settings.scrubOnDelete;
      const { patient } = await deletePatient(node, id, await node.access.writerOf(principal), { scrub });
      const message = patient
        ? 'Patient and its matches were successfully deleted from database'
        : `ERROR. Could not delete a patient with ID ${id} from database`;
      return { body: { message } };
    },
  });
}
