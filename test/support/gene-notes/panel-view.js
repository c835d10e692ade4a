/** A plugin that uses the service of gene-notes, if it is enabled. */
import { definePlugin, route } from 'trefoil/plugin';
import { z } from 'zod';

export default definePlugin({
  name: 'panel-view',
  api: 1,
  summary: 'Shows a gene with its note',
  settings: z.strictObject({}),
  contracts: [],
  register(context) {
    context.route(
      route({
        method: 'GET',
        path: '/panel-view/:gene',
        operation: 'show',
        summary: 'A gene with its note',
        params: z.object({ gene: z.string().max(40) }),
        answers: {
          200: {
            description: 'The note; null if there is none, absent if notes are not enabled.',
            content: { 'application/json': z.object({ gene: z.string(), note: z.string().nullable().optional() }) },
          },
        },
        async handle({ params: { gene } }) {
          const notes = context.find('gene-notes/notes@1');
          return { body: notes ? { gene, note: (await notes.noteOn(gene)) ?? null } : { gene } };
        },
      }),
    );
  },
});
