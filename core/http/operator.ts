/** The endpoints under `/-/`, for operators and for owners of jobs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Access } from '../auth/identify.js';
import { Fault } from '../fault.js';
import { type Job, jobStates } from '../jobs/contract.js';
import { ownerOf, type Policy } from '../policy/policy.js';
import { type HttpMetrics, metricsFormats } from './metrics.js';
import { preferred } from './pages.js';
import { type RouteDeclaration, route } from './route.js';

/** What `/-/ready` reports: every check by name, `ok` or a sentence without secrets. */
export interface Readiness {
  ready: boolean;
  checks: Record<string, string>;
}

const readinessBody = z
  .strictObject({
    ready: z.boolean(),
    checks: z.record(z.string(), z.string()).describe('Each check by name: `ok`, or what is wrong.'),
    writable: z
      .boolean()
      .optional()
      .describe(
        'What the last trial write came to, at most half a minute ago; reads are answered but for those in `refused`.',
      ),
    refused: z
      .array(z.string())
      .optional()
      .describe('If `writable` is false: the reads that are refused, because each is recorded before it is answered.'),
  })
  .meta({ id: 'Readiness' });

const jobBody = z
  .strictObject({
    id: z.string(),
    kind: z.string().describe('`plugin.verb`, for example `beacon.add-variants`.'),
    state: z.enum(jobStates),
    progress: z.number().min(0).max(1),
    attempts: z.int().min(0).describe('How often it was begun so far.'),
    error: z.string().nullable().describe('What the last attempt failed of.'),
    result: z.unknown().describe('What it answered, once done; else null.'),
    created: z.iso.datetime(),
    updated: z.iso.datetime(),
  })
  .meta({ id: 'Job', description: 'Background jobs.' });

export interface HealthOptions {
  readiness(): Promise<Readiness>;
  /** Whether the storage accepts writes; undefined if unknown. */
  writable(): Promise<boolean | undefined>;
  /** What is recorded before it is answered, as phrases. */
  recorded: readonly string[];
  draining(): boolean;
}

export function healthRoutes(options: HealthOptions): RouteDeclaration[] {
  const state = { 'application/json': readinessBody };
  return [
    route({
      method: 'GET',
      path: '/-/live',
      operation: 'live',
      class: 'health',
      summary: 'Whether the process answers',
      answers: {
        200: { description: 'It does.', content: { 'application/json': z.strictObject({ live: z.literal(true) }) } },
      },
      handle: () => ({ body: { live: true } }),
    }),
    route({
      method: 'GET',
      path: '/-/ready',
      operation: 'ready',
      class: 'health',
      summary: 'Whether the server can do its work',
      description: 'Asks the storage and every plugin.',
      answers: {
        200: { description: 'It can.', content: state },
        503: { description: 'It cannot, or not yet, or not any more; `checks` says why.', content: state },
      },
      async handle() {
        const { ready, checks } = options.draining()
          ? { ready: false, checks: { server: 'is stopping' } }
          : await answeredSoon(options.readiness());
        const writable = options.draining() ? undefined : await options.writable();
        const refused = writable === false && options.recorded.length > 0 ? [...options.recorded] : undefined;
        const storage = { ...(writable === undefined ? {} : { writable }), ...(refused && { refused }) };
        return { status: ready ? 200 : 503, body: { ready, checks, ...storage } };
      },
    }),
  ];
}

const patience = 5000;

/** Reports not ready if the checks take too long: a storage that hangs is as bad as one that fails. */
async function answeredSoon(asked: Promise<Readiness>): Promise<Readiness> {
  const late = new AbortController();
  const never = sleep(patience, undefined, { signal: late.signal }).then(
    () => ({ ready: false, checks: { readiness: `no answer within ${patience / 1000} s` } }),
    () => asked,
  );
  try {
    return await Promise.race([asked, never]);
  } finally {
    late.abort();
  }
}

export function metricsRoute(metrics: HttpMetrics): RouteDeclaration {
  return route({
    method: 'GET',
    path: '/-/metrics',
    operation: 'metrics',
    class: 'health',
    summary: 'Metrics for Prometheus',
    answers: {
      200: {
        description: 'All metrics in the text format, or in OpenMetrics if that is preferred.',
        content: { 'text/plain': z.string(), 'application/openmetrics-text': z.string() },
      },
    },
    async handle({ headers }) {
      // Versions and the like are not compared: there is one of each format.
      const accept = headers.accept?.replace(/;\s*(?!\s|q=)[^;,]*/gi, '');
      const format = preferred(accept === undefined ? {} : { accept }, metricsFormats);
      const { type, text } = await metrics.scrape(format ?? 'text/plain');
      return { type, headers: { Vary: 'Accept' }, body: text };
    },
  });
}

export function jobRoute(
  access: Access,
  policy: Policy,
  findJob: (id: string, owner: string) => Promise<Job | undefined>,
): RouteDeclaration {
  return route({
    method: 'GET',
    path: '/-/jobs/:id',
    operation: 'job',
    summary: 'State and progress of background work',
    description: 'Shown to the owner of the token that started it; to all others it does not exist.',
    access,
    params: z.object({ id: z.string().max(64) }),
    answers: { 200: { description: 'The job.', content: { 'application/json': jobBody } } },
    async handle({ params, principal }) {
      const job = await findJob(params.id, ownerOf(principal));
      if (job === undefined || !(await policy.owns(principal, job)))
        throw new Fault('not-found', 'There is no such job');
      const { id, kind, state, progress, attempts, error = null, result = null, created, updated } = job;
      return { body: { id, kind, state, progress, attempts, error, result, created, updated } };
    },
  });
}
