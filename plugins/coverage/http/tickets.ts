/** `POST /coverage/tickets`: a program admits someone to reports on certain samples for a few minutes. */
import { z } from 'zod';
import { naming } from '../../../core/files.js';
import {
  type FieldFault,
  isFault,
  ownerOf,
  type Principal,
  type RouteDeclaration,
  route,
} from '../../../core/plugin.js';
import { fieldFault } from '../report/form/fields.js';
import { ticketRight } from '../rights.js';
import { fieldsFault } from '../samples/find.js';
import type { CoverageServices } from '../services.js';
import { sampleName } from './access/recording.js';
import type { Tickets } from './access/ticket-access.js';
import { checkedInput, documentedSchema, jsonAnswer, refusal } from './input.js';

const body = (most: number) =>
  z.strictObject({
    samples: z
      .array(z.string().min(1).max(4096))
      .min(1)
      .max(most)
      .meta(
        naming(
          ['path', 'url', 'object'],
          'Ids of registered samples, and paths or URLs of coverage files exactly as the form will name them.',
        ),
      ),
    panels: z
      .array(z.string().min(1).max(200))
      .max(100)
      .optional()
      .describe(
        'Panels that the form may name, and that the token may read (`panels:read`): `kidney@1.10`, or `kidney` for all of its versions ' +
          'that are signed off or retired. Needed only where panels belong to tenants.',
      ),
    minutes: z.number().min(0.1).max(15).default(5).describe('Minutes for which it is valid; 5 if omitted.'),
  });

const answer = z.object({
  ticket: z.string().describe('To be sent as the field `ticket` of a form that is posted to a report page.'),
  expires: z.iso.datetime(),
});

export function ticketRoute(services: CoverageServices, tickets: Tickets): RouteDeclaration {
  const { settings, access, now, forCaller, recording } = services;
  const schema = body(settings.limits.samples);
  return route({
    method: 'POST',
    path: '/coverage/tickets',
    operation: 'makeTicket',
    summary: 'Make a ticket for reports on certain samples',
    description:
      'For programs whose forms bring no token: they decide who may see the samples, get a ticket for these alone, and send ' +
      'it in the form. It is not accepted in a URL.',
    access: access.tickets,
    body: { types: ['application/json'], schema: documentedSchema(schema) },
    answers: {
      200: jsonAnswer('The ticket.', answer),
      401: refusal('The token is missing or invalid.'),
      403: refusal('The token lacks the scope.'),
      422: refusal('A field is invalid, or a sample does not exist.'),
    },
    async handle(request) {
      const { principal } = request;
      const reached = await forCaller(principal, ticketRight);
      const { samples, minutes, panels = [] } = checkedInput(schema, request.body);
      const files = await filesOf(samples, reached);
      await refuseUnknown(panels, services, principal);
      const expires = new Date(now().getTime() + minutes * 60_000);
      const { tenants } = reached;
      const ticket = tickets.make({
        files,
        ...(panels.length > 0 && { panels }),
        ...(tenants !== undefined && { tenants: [...tenants] }),
        by: ownerOf(principal),
        expires: expires.getTime(),
      });
      // Ids as they are, and files by their names.
      const names = samples.map((one) => sampleName(one, undefined));
      await recording.shown(request, { action: 'ticket', samples: names, right: ticketRight });
      return { headers: { 'Cache-Control': 'no-store' }, body: { ticket, expires: expires.toISOString() } };
    },
  });
}

/** The files of registered samples, and files by their paths. Throws `unprocessable` with those that do not exist. */
async function filesOf(
  asked: readonly string[],
  { samples, sources }: Pick<CoverageServices, 'samples' | 'sources'>,
): Promise<string[]> {
  const ids = asked.filter((one) => one.length <= 200);
  const registered = new Map((await samples.find([...new Set(ids)])).map(({ id, file }) => [id, file.path]));
  const wrong: FieldFault[] = [];
  const files = await Promise.all(
    asked.map(async (one, i) => {
      const known = registered.get(one) ?? (await pathForAll(one, sources));
      if (known === undefined)
        wrong.push({ path: `samples.${i}`, message: 'is neither registered nor a coverage file' });
      return known ?? '';
    }),
  );
  if (wrong.length === 0) return [...new Set(files)];
  throw fieldsFault(wrong);
}

/** Throws `unprocessable` with those that do not exist, or that the program may not use. */
async function refuseUnknown(
  asked: readonly string[],
  { panels }: Pick<CoverageServices, 'panels'>,
  principal: Principal,
): Promise<void> {
  const service = panels();
  for (const [i, reference] of asked.entries()) {
    if ((await service?.versionOf(reference, principal)) !== undefined) continue;
    throw fieldFault(`panels.${i}`, 'is not a panel, or version of one, that you may use');
  }
}

/** The text, if it names an existing file for every caller alike. */
async function pathForAll(text: string, sources: CoverageServices['sources']): Promise<string | undefined> {
  try {
    return (await sources.registered(text)) === text ? text : undefined;
  } catch (error) {
    if (isFault(error) && error.code === 'not-found') return undefined;
    throw error;
  }
}
