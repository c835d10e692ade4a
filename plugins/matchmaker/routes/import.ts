/** `POST /patient/import`: adds or replaces many patients in one request. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import { mediaFirst } from '../http/access.js';
import { documented, messageAnswer, unlessEmpty, warnings } from '../http/answers.js';
import { bodyAnswers } from '../http/errors.js';
import { requiredBody } from '../http/input.js';
import { bodyTypes } from '../http/media.js';
import { importPatients } from '../patient/import.js';
import { patientSchema } from '../patient/schema.js';
import type { MatchmakerServices } from '../services.js';

const listSchema = z.union([
  z.array(patientSchema),
  z.looseObject({ patients: z.array(patientSchema) }),
  z.looseObject({
    contact: z.looseObject({ name: z.string(), href: z.string() }),
    phenopackets: z.array(z.looseObject({ id: z.string() })).describe('GA4GH phenopackets.'),
  }),
]);

const counted = messageAnswer.extend({
  inserted: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  _warnings: warnings.optional(),
});

export function importRoute({ settings, access, resources, ...saving }: MatchmakerServices): RouteDeclaration {
  return route({
    method: 'POST',
    path: '/patient/import',
    operation: 'importPatients',
    class: 'background',
    summary: 'Add or replace many patients: all of them, or none if one is invalid',
    access: mediaFirst(access.load.access),
    body: { types: bodyTypes, schema: documented(listSchema), limit: settings.importLimit },
    answers: {
      200: { description: 'All patients are stored.', content: { 'application/json': counted } },
      ...bodyAnswers,
    },
    async handle(request) {
      const options = { ...saving, resources: resources() };
      const { warnings: found, ...counts } = await importPatients(
        options,
        requiredBody(request.body),
        await access.load.reachOf(request),
      );
      const message = `${counts.inserted} patients were inserted, ${counts.updated} updated, ${counts.unchanged} unchanged.`;
      return { body: { message, ...counts, _warnings: unlessEmpty(found) } };
    },
  });
}
