/** The `http` section of the configuration. */
import { z } from 'zod';
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
      .describe('How many reverse proxies stand in front: that many entries of X-Forwarded-For are believed.'),
    bodyLimit: z
      .int()
      .min(1)
      .default(1_048_576)
      .describe('Largest request body in bytes, after decompression; larger ones are answered 413.'),
    headerLimit: z.int().min(1024).max(1_048_576).default(16_384).describe('Largest request head in bytes.'),
    headerTimeout: seconds.default(15).describe('Seconds in which the head of a request must arrive.'),
    requestTimeout: seconds
      .default(60)
      .describe('Seconds in which a request must have arrived, and in which its answer must begin.'),
    keepAliveTimeout: seconds.default(65).describe('Seconds for which an idle connection is kept.'),
    drainDelay: z
      .number()
      .min(0)
      .max(3600)
      .default(0)
      .describe(
        'Seconds between not being ready any more and closing the port, in which a load balancer that asks /-/ready ' +
          'notices.',
      ),
    shutdownTimeout: seconds.default(10).describe('Seconds that requests under way get to finish at shutdown.'),
    cors: z
      .strictObject({
        origins: z
          .array(z.union([z.literal('*'), z.url({ protocol: /^https?$/ })]))
          .default([])
          .describe(
            'Origins whose pages may call the API from a browser, such as https://portal.example.org; * for any. ' +
              'If none is named, pages of any origin may ask what anybody may ask, as beacon queries, and nothing else.',
          ),
        maxAge: z.int().min(0).default(600).describe('Seconds for which a browser may keep the permission.'),
      })
      .prefault({})
      .describe('Cross-origin requests: which pages of other sites may read answers.'),
    rateLimit: z
      .strictObject({
        enabled: z.boolean().default(false).describe('Whether to limit the requests of one client address.'),
        requests: z.int().min(1).default(600).describe('Requests that one client address may make…'),
        perSeconds: seconds.default(60).describe('… within so many seconds; further ones are answered 429.'),
      })
      .prefault({})
      .describe('Limit per client address, counted in this process. /-/live and /-/ready are exempt.'),
    docs: exposureSetting('The page /docs'),
    openapi: exposureSetting('The description /openapi.json, which the page /docs shows'),
    metrics: z
      .strictObject({
        access: exposureSetting('/-/metrics, on whichever port'),
        port: port
          .optional()
          .describe('Port that serves /-/metrics (and /-/live, /-/ready) alone; the main port then has no metrics.'),
        host: z.string().min(1).optional().describe('Address for that port; the main one where absent.'),
      })
      .prefault({})
      .describe('Prometheus metrics; on the main port where no port is given.'),
    hsts: z
      .int()
      .min(0)
      .default(0)
      .describe(
        'Seconds for Strict-Transport-Security; 0 sends none. Set it where the server is reached by https only.',
      ),
  })
  .refine(
    ({ port, metrics }) =>
      metrics?.port === undefined || metrics.port !== port || port === 0 || metrics.host !== undefined,
    {
      path: ['metrics', 'port'],
      error: 'is the port that http.port names too: leave it out to serve /-/metrics there',
      // Told beside whatever else is wrong.
      when: ({ value }) => typeof value === 'object' && value !== null,
    },
  );

export type HttpSettings = z.output<typeof httpSettings>;
