/** `POST /intervals/load/{genes|transcripts|exons}/{build}`: queues the loading of a file. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { closeOpenFile, fileBody, receiveFile } from '../../../core/files.js';
import { Fault, ownerOf, type RouteDeclaration, route } from '../../../core/plugin.js';
import { builds, type IntervalKind, intervalKinds } from '../contract.js';
import { type LoadPayload, loadJob, noSuchFile } from '../jobs.js';
import { fieldFault } from '../report/form/fields.js';
import type { CoverageServices } from '../services.js';
import { checkedInput, detailBody, documentedSchema, jsonAnswer, namesFile, refusal } from './input.js';

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
    .meta(namesFile('Path of the file on the server, under a directory of `roots`; omit it if the file is the body.')),
  release: z.string().min(1).max(200).optional().describe('Name of the release, such as Ensembl 115.'),
  force: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      'true: replace the set even if it has shrunk, lost a chromosome or seems to be of the other build, or if more than one ' +
        'in twenty lines are left out for one reason.',
    ),
});

const accepted = z.object({
  detail: z.string(),
  job: z.object({
    id: z.uuid(),
    href: z.string().describe('Address of the state, progress and report of the job, for the same token.'),
  }),
});

type LoadServices = Pick<CoverageServices, 'settings' | 'sources' | 'access' | 'jobs' | 'uploads'>;

/** The fields of these routes are in the path and in the query. */
export const loadErrorBody: typeof detailBody = (fault, status, request) =>
  detailBody(fault, status, request, (field) => (field === 'build' ? 'path' : 'query'));

export function loadRoutes(services: LoadServices): RouteDeclaration[] {
  return intervalKinds.map((kind) => loadRoute(kind, services));
}

function loadRoute(kind: IntervalKind, { settings, sources, access, jobs, uploads }: LoadServices): RouteDeclaration {
  const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return route({
    method: 'POST',
    path: `/intervals/load/${kind}/:build`,
    operation: `load${title}`,
    summary: `Replace the ${kind} of a build with those of a file`,
    description:
      'A tab-separated export of Ensembl BioMart, plain or gzip, on the server or as the body. The whole file is ' +
      'checked before it replaces the old set at once; if anything is wrong, the old set stays.',
    access: access.load,
    params: z.object({ build: z.string() }),
    query: documentedSchema(query),
    body: {
      types: fileTypes,
      schema: fileBody('The interval file, plain or gzip; instead of file_path.'),
      streamLimit: settings.intervals.uploadLimit,
    },
    answers: {
      200: jsonAnswer('The load is queued.', accepted),
      401: refusal('The token is missing or invalid.'),
      403: refusal('The token lacks the scope coverage:load.'),
      422: refusal('The build, a parameter or the path is invalid.'),
    },
    async handle({ params, query: sent, body, headers, principal }) {
      const { build } = checkedInput(path, params);
      const { file_path, release, force } = checkedInput(query, sent);
      const isUpload = body instanceof Readable;
      if (isUpload === (file_path !== undefined)) {
        throw fieldFault('file_path', isUpload ? 'file_path and a body exclude each other' : 'Field required');
      }
      if (file_path !== undefined) {
        const file = await sources.file(file_path);
        if (file === undefined) throw new Fault('unprocessable', noSuchFile);
        await closeOpenFile(file);
      }
      const id = randomUUID();
      const payload: LoadPayload = {
        kind,
        build,
        ...(file_path !== undefined && { path: file_path }),
        ...(release !== undefined && { release }),
        force: force === 'true',
      };
      const owner = ownerOf(principal);
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
