/**
 * The `http` section of the configuration, with `http.overload`: how many requests of each class are handled at a time, and how
 * long others wait; and who may see pages that are for operators rather than for clients.
 */
import { z } from 'zod';
import type { Access } from '../policy/policy.js';
import type { RouteDeclaration } from './route.js';

// The section `http.overload`.

const count = z.int().min(1).max(100_000);

interface AdmissionLimits {
  always: number;
  most: number;
  waiting: number;
  seconds: number;
}

function limits(what: string, { always, most, waiting, seconds }: AdmissionLimits) {
  return z
    .strictObject({
      always: count
        .default(always)
        .describe('Requests that are handled at a time even while the server is short of processor time…'),
      most: count.default(most).describe('… and while it is not.'),
      waiting: z.int().min(0).max(100_000).default(waiting).describe('Further requests that may wait…'),
      seconds: z
        .number()
        .positive()
        .max(3600)
        .default(seconds)
        .describe('… for at most so many seconds. All others get status 503 with Retry-After.'),
    })
    .refine(({ always, most }) => always <= most, {
      path: ['always'],
      error: 'must not be more than `most`',
    })
    .prefault({})
    .describe(what);
}

export const overloadSettings = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('Whether requests wait and are refused; without, all are handled at once.'),
    lateMs: z
      .int()
      .min(1)
      .max(60_000)
      .default(50)
      .describe(
        'The server is short of processor time for queries while its event loop is so many milliseconds late; for ' +
          'reports from half of that, for background requests from a fifth.',
      ),
    query: limits('Queries, matches, pages: all requests that are in no other class.', {
      always: 32,
      most: 256,
      waiting: 4000,
      seconds: 5,
    }),
    report: limits('Requests that take long to compute, such as coverage reports and exports.', {
      always: 2,
      most: 32,
      waiting: 4000,
      seconds: 10,
    }),
    background: limits('Uploads and imports.', { always: 1, most: 16, waiting: 1000, seconds: 10 }),
  })
  .prefault({})
  .describe(
    'What happens to more requests than the server can handle, by class. Health checks and metrics are never limited.',
  );

export type OverloadSettings = z.output<typeof overloadSettings>;

// Who may see a page or endpoint that is for operators rather than for clients.

export const exposures = ['open', 'token', 'off'] as const;
export type Exposure = (typeof exposures)[number];

/** The setting for one such endpoint; `open` unless set. */
export function exposureSetting(what: string) {
  return z
    .enum(exposures)
    .default('open')
    .describe(`${what}: open to every client, with an API token of the scope server:read, or off.`);
}

/** Returns the route with the access that the setting requires; none if off. */
export function exposed(declaration: RouteDeclaration, exposure: Exposure, access: () => Access): RouteDeclaration[] {
  if (exposure === 'off') return [];
  return [exposure === 'open' ? declaration : { ...declaration, access: access() }];
}

const duration = z.number().positive().max(86_400);
const port = z.int().min(0).max(65_535);

export const httpSettings = z
  .strictObject({
    host: z.string().min(1).default('127.0.0.1').describe('Address to listen on; 0.0.0.0 accepts other hosts.'),
    port: port.default(5000).describe('Port to listen on; 0 takes any free one.'),
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Public address of the server as clients see it, for links and the API description.'),
    trustProxy: z
      .int()
      .min(0)
      .max(16)
      .default(0)
      .describe('Number of reverse proxies in front of the server: that many entries of X-Forwarded-For are trusted.'),
    bodyLimit: z
      .int()
      .min(1)
      .default(1_048_576)
      .describe('Largest request body in bytes, after decompression; larger ones get status 413.'),
    headerLimit: z
      .int()
      .min(1024)
      .max(1_048_576)
      .default(65_536)
      .describe(
        'Largest head of a request in bytes: its first line and its headers, with tokens. Larger ones get status 431. Each ' +
          'connection whose head is still arriving may take that much memory.',
      ),
    headerTimeout: duration.default(15).describe('Seconds within which the head of a request must arrive.'),
    requestTimeout: duration
      .default(60)
      .describe('Seconds within which a request must be complete, and within which its response must begin.'),
    keepAliveTimeout: duration.default(65).describe('Seconds for which an idle connection is kept.'),
    drainDelay: z
      .number()
      .min(0)
      .max(3600)
      .default(0)
      .describe(
        'Seconds from the moment /-/ready reports that the server is stopping until its port is closed, so that a load ' +
          'balancer notices.',
      ),
    shutdownTimeout: duration.default(10).describe('Seconds that requests in flight have to finish at shutdown.'),
    cors: z
      .strictObject({
        origins: z
          .array(z.union([z.literal('*'), z.url({ protocol: /^https?$/ })]))
          .default([])
          .describe(
            'Origins whose pages may call the API from a browser, such as https://portal.example.org; * for any. ' +
              'If empty, pages of any origin may call the routes that are open to every client, such as beacon queries, and no others.',
          ),
        maxAge: z.int().min(0).default(600).describe('Seconds for which a browser may cache the permission.'),
      })
      .prefault({})
      .describe('Cross-origin requests: pages of which other sites may read responses.'),
    rateLimit: z
      .strictObject({
        enabled: z.boolean().default(false).describe('Whether to limit the requests of one client address.'),
        requests: z.int().min(1).default(600).describe('Requests that one client address may make…'),
        perSeconds: duration.default(60).describe('… within this many seconds; further ones get status 429.'),
      })
      .prefault({})
      .describe('Limit per client address, counted in this process. /-/live and /-/ready are exempt.'),
    overload: overloadSettings,
    docs: exposureSetting('The page /docs'),
    openapi: exposureSetting('The description /openapi.json, which the page /docs shows'),
    metrics: z
      .strictObject({
        access: exposureSetting('/-/metrics, on either port'),
        port: port
          .optional()
          .describe('Port that serves /-/metrics (and /-/live, /-/ready) alone; the main port then has no metrics.'),
        host: z.string().min(1).optional().describe('Address for that port; the main one if omitted.'),
      })
      .prefault({})
      .describe('Prometheus metrics; on the main port if no port is set.'),
    hsts: z
      .int()
      .min(0)
      .default(0)
      .describe(
        'Seconds for Strict-Transport-Security; 0 sends no header. Set it if clients reach the server by https only.',
      ),
  })
  .refine(
    ({ port, metrics }) =>
      metrics?.port === undefined || metrics.port !== port || port === 0 || metrics.host !== undefined,
    {
      path: ['metrics', 'port'],
      error: 'is the same port as http.port: omit it to serve /-/metrics there',
      // Reported together with all other faults.
      when: ({ value }) => typeof value === 'object' && value !== null,
    },
  );

export type HttpSettings = z.output<typeof httpSettings>;
