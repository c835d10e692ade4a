/** `POST /patient/add`. */
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import { asOwnerOf, mediaFirst } from '../http/access.js';
import { documented, messageAnswer, unlessEmpty, warnings } from '../http/answers.js';
import { bodyAnswers } from '../http/errors.js';
import { requiredBody } from '../http/input.js';
import { bodyTypes } from '../http/media.js';
import { warningsOf } from '../patient/present.js';
import { addOne } from '../patient/saving.js';
import { readSubmission, submissionSchema } from '../patient/schema.js';
import type { MatchmakerServices } from '../services.js';

/** Clients of patientMatcher compare these sentences. */
const outcomes = {
  inserted: 'Patient was successfully inserted into database.',
  updated: 'Patient was successfully updated.',
  unchanged: 'Database content is unchanged.',
} as const;

export function addRoute({ access, patients, resources, ...saving }: MatchmakerServices): RouteDeclaration {
  const add = addOne(saving);
  return route({
    method: 'POST',
    path: '/patient/add',
    operation: 'addPatient',
    summary: 'Add a patient, or replace the patient with the same id',
    access: mediaFirst(access.load.access),
    body: { types: bodyTypes, schema: documented(submissionSchema) },
    answers: {
      200: {
        description: 'The patient is stored.',
        content: { 'application/json': messageAnswer.extend({ _warnings: warnings.optional() }) },
      },
      ...bodyAnswers,
    },
    async handle(request) {
      const patient = readSubmission(requiredBody(request.body));
      const inUse = resources();
      const reach = await access.load.reachOf(request);
      const stored = reach.isClient ? undefined : await patients.patient(patient.id);
      const saved = await add(patient, inUse.genes, asOwnerOf(reach, stored));
      const _warnings = unlessEmpty(warningsOf(patient, inUse));
      return { body: { message: outcomes[saved.outcome], _warnings } };
    },
  });
}
