/** `POST /intervals/load/{genes|transcripts|exons}/{build}`: queues the loading of a file. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { fileBody, fileUnder, receiveFile } from '../../../core/files.js';
import { Fault, type RouteDeclaration, route } from '../../../core/plugin.js';
import { builds, type IntervalKind, intervalKinds } from '../contract.js';
import { type LoadPayload, loadJob, noSuchFile } from '../jobs/load-intervals.js';
import type { CoverageServices } from '../services.js';
import { checked, detailBody, documented, refusal } from './input.js';

const fileTypes = [
  'text/tab-separated-values',
  'text/plain',
  'application/octet-stream',
  'application/gzip',
  'application/x-gzip',
];

const path = z.object({ build: z.enum(builds) });

const query = z.object({
  file_path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('The file by its path on the server, under a directory of `roots`; left out where it is the body.'),
  release: z.string().min(1).max(200).optional().describe('What the release is called, such as Ensembl 115.'),
  force: z
    .enum(['true', 'false'])
    .optional()
    .describe('true: put in place even where the set has shrunk, lost a chromosome or seems to be of the other build.'),
});

const accepted = z.object({
  detail: z.string(),
  job: z.object({
    id: z.uuid(),
    href: z.string().describe('Where state, progress and report can be seen, with the same token.'),
  }),
});

type LoadServices = Pick<CoverageServices, 'settings' | 'access' | 'jobs' | 'uploads'>;

/** Fields stand in the path and in the query here. */
export const loadErrorBody: typeof detailBody = (fault, status, request) =>
  detailBody(fault, status, request, (field) => (field === 'build' ? 'path' : 'query'));

export function loadRoutes(services: LoadServices): RouteDeclaration[] {
  return intervalKinds.map((kind) => loadRoute(kind, services));
}

function loadRoute(kind: IntervalKind, { settings, access, jobs, uploads }: LoadServices): RouteDeclaration {
  const { roots } = settings;
  const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return route({
    method: 'POST',
    path: `/intervals/load/${kind}/:build`,
    operation: `load${title}`,
    summary: `Put the ${kind} of a file in the place of all ${kind} of a build`,
    description:
      'A tab-separated export of Ensembl BioMart, plain or gzip, on the server or as the body. All of it is checked ' +
      'before it is put in place at once; until then, and where anything is wrong, the old set stays.',
    access: access.load,
    params: z.object({ build: z.string() }),
    query: documented(query),
    body: {
      types: fileTypes,
      schema: fileBody('The interval file, plain or gzip; instead of file_path.'),
      streamLimit: settings.intervals.uploadLimit,
    },
    answers: {
      200: { description: 'The work is queued.', content: { 'application/json': accepted } },
      401: refusal('The token is missing or not valid.'),
      403: refusal('The token lacks the scope coverage:load.'),
      422: refusal('The build, the parameters or the path is not right.'),
    },
    async handle({ params, query: sent, body, headers, principal }) {
      const { build } = checked(path, params);
      const { file_path, release, force } = checked(query, sent);
      const isUpload = body instanceof Readable;
      if (isUpload === (file_path !== undefined)) {
        const message = isUpload ? 'file_path and a body exclude each other' : 'Field required';
        throw new Fault('unprocessable', `file_path: ${message}`, { fields: [{ path: 'file_path', message }] });
      }
      if (file_path !== undefined && (await fileUnder(roots, file_path)) === undefined) {
        throw new Fault('unprocessable', noSuchFile);
      }
      const id = randomUUID();
      const payload: LoadPayload = {
        kind,
        build,
        ...(file_path !== undefined && { path: file_path }),
        ...(release !== undefined && { release }),
        force: force === 'true',
      };
      const { owner } = principal;
      const enqueue = async () => {
        const job = await jobs.enqueue(loadJob, payload, { owner, id });
        const message = `${title} will be updated in background. Please check their availability in a few minutes.`;
        return { body: { detail: message, job: { id: job.id, href: jobs.href(job) } } };
      };
      if (!isUpload) return enqueue();
      const file = await uploads.open(id);
      try {
        await receiveFile(body, headers, file);
        return await enqueue();
      } catch (error) {
        await file.discard();
        await uploads.remove(id);
        throw error;
      }
    },
  });
}
