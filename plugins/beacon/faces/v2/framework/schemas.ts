/** Serves copies of the schemas of entries, so that validators need no other server. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type AnswerDeclaration, Fault, type RouteDeclaration, route } from '../../../../../core/plugin.js';
import { failures } from './errors.js';
import { root } from './face.js';

const name = z.string().regex(/^[A-Za-z0-9]+$/);
const file = z.string().regex(/^[A-Za-z0-9]+\.json$/);

/** Public, and the same until an update of the server. */
const headers = { 'Cache-Control': 'public, max-age=3600' };

export function schemaRoute(): RouteDeclaration {
  return route({
    method: 'GET',
    path: `${root}/schemas/:folder/:file`,
    operation: 'beaconV2Schema',
    summary: 'A schema of entries',
    description: 'A copy of the schemas of GA4GH Beacon v2.1.1 and VRS 1.3 (Apache License 2.0).',
    params: z.object({ folder: z.string(), file: z.string() }),
    anyOrigin: true,
    answers: {
      200: { description: 'The schema.', content: { 'application/json': z.looseObject({}) } },
      404: failures[404] as AnswerDeclaration,
    },
    handle: ({ params }) => ({ headers, body: read(params.folder, params.file) }),
  });
}

const known = new Map<string, unknown>();

function read(folder: string, named: string): unknown {
  if (!name.safeParse(folder).success || !file.safeParse(named).success) throw absent();
  const path = `${folder}/${named}`;
  if (!known.has(path)) known.set(path, parsed(path));
  return known.get(path);
}

function parsed(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(fileURLToPath(new URL(`assets/${path}`, import.meta.url)), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw absent();
    throw error;
  }
  return JSON.parse(text);
}

function absent(): Fault {
  return new Fault('not-found', 'There is no such schema');
}
