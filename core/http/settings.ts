/** The `http` section of the configuration. */
import { z } from 'zod';
import { overloadSettings } from './admission/settings.js';
import { exposureSetting } from './exposure.js';

const seconds = z.number().positive().max(86_400);
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
    headerTimeout: seconds.default(15).describe('Seconds within which the head of a request must arrive.'),
    requestTimeout: seconds
      .default(60)
      .describe('Seconds within which a request must be complete, and within which its response must begin.'),
    keepAliveTimeout: seconds.default(65).describe('Seconds for which an idle connection is kept.'),
    drainDelay: z
      .number()
      .min(0)
      .max(3600)
      .default(0)
      .describe(
        'Seconds from the moment /-/ready reports that the server is stopping until its port is closed, so that a load ' +
          'balancer notices.',
      ),
    shutdownTimeout: seconds.default(10).describe('Seconds that requests in flight have to finish at shutdown.'),
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
        perSeconds: seconds.default(60).describe('… within this many seconds; further ones get status 429.'),
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
