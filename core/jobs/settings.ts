/** The `jobs` section of the configuration. */
import { z } from 'zod';

const seconds = z.number().positive().max(86_400);

export const jobSettings = z
  .strictObject({
    concurrency: z
      .int()
      .min(0)
      .max(64)
      .default(2)
      .describe('Jobs that this process runs at the same time; 0 for none.'),
    pollSeconds: seconds.default(1).describe('Seconds between checks for jobs that other processes queued.'),
    leaseSeconds: seconds
      .default(30)
      .describe('Seconds without a renewal after which another process may claim a running job.'),
    renewSeconds: seconds
      .default(10)
      .describe('Seconds between renewals of the lease of a running job; at most half of leaseSeconds.'),
    retrySeconds: seconds
      .default(5)
      .describe('Seconds before the second attempt; doubled for each further one, with jitter.'),
    retryMaxSeconds: seconds.default(900).describe('Longest delay between two attempts, in seconds.'),
    stopSeconds: seconds.default(10).describe('Seconds that running jobs have to stop at shutdown.'),
    keepDays: z.number().positive().max(3650).default(7).describe('Days for which finished jobs are kept.'),
  })
  .refine((jobs) => jobs.renewSeconds <= jobs.leaseSeconds / 2, {
    path: ['renewSeconds'],
    message: 'must be at most half of leaseSeconds, so that one renewal may fail',
    // Reported even if another key of the section is invalid.
    when: ({ value }) => {
      const { renewSeconds, leaseSeconds } = value as Record<string, unknown>;
      return typeof renewSeconds === 'number' && typeof leaseSeconds === 'number';
    },
  });

export type JobSettings = z.output<typeof jobSettings>;
