/** `DELETE /patient/delete/<id>`. */
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import { asOwnerOf, ownersIn } from '../http/access.js';
import { messageAnswer } from '../http/answers.js';
import { protectedAnswers, refusal } from '../http/errors.js';
import { patientParams } from '../http/input.js';
import { deletePatient } from '../removal/deletion.js';
import type { MatchmakerServices } from '../services.js';

export function deleteRoute({ settings, access, patients, trail }: MatchmakerServices): RouteDeclaration {
  return route({
    method: 'DELETE',
    path: '/patient/delete/:id',
    operation: 'deletePatient',
    summary: 'Delete a patient and the match results in which it was the query',
    access: access.load.access,
    params: patientParams,
    answers: {
      200: {
        description: '`message` says whether a patient was deleted.',
        content: { 'application/json': messageAnswer },
      },
      ...protectedAnswers,
      400: refusal('The id is not valid.'),
    },
    async handle(request) {
      const { id } = request.params;
      const reach = await access.load.reachOf(request);
      const stored = reach.isClient ? undefined : await patients.patient(id, ownersIn(reach));
      const deletion = { scrub: settings.scrubOnDelete, triage: settings.triage !== undefined };
      const { patient } = await deletePatient(trail, id, asOwnerOf(reach, stored), deletion);
      const message = patient
        ? 'Patient and its matches were successfully deleted from database'
        : `ERROR. Could not delete a patient with ID ${id} from database`;
      return { body: { message } };
    },
  });
}
