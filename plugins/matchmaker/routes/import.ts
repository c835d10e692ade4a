/** `POST /patient/import`: many patients at once. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import { mediaFirst } from '../http/access.js';
import { documented, messageAnswer, warnings } from '../http/answers.js';
import { bodyAnswers } from '../http/errors.js';
import { bodyTypes } from '../http/media.js';
import type { Node } from '../http/node.js';
import { sentBody } from '../http/sent.js';
import { importPatients } from '../patient/import.js';
import { patientSchema } from '../patient/schema.js';

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

export function importRoute(node: Node): RouteDeclaration {
  return route({
    method: 'POST',
    path: '/patient/import',
    operation: 'importPatients',
    summary: 'Add or replace many patients: all of them or, where one is refused, none',
    access: mediaFirst(node.access.submit),
    body: { types: bodyTypes, schema: documented(listSchema), limit: node.settings.importLimit },
    answers: {
      200: { description: 'All are stored.', content: { 'application/json': counted } },
      ...bodyAnswers,
    },
    async handle({ body, principal }) {
      const resources = node.resources();
      const { warnings: found, ...counts } = await importPatients(
        { ...node, resources },
        sentBody(body),
        await node.access.writerOf(principal),
      );
      const message = `${counts.inserted} patients were inserted, ${counts.updated} updated, ${counts.unchanged} unchanged.`;
      return { body: { message, ...counts, ...(found.length === 0 ? {} : { _warnings: found }) } };
    },
  });
}
