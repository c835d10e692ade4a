/** The `jobs` section of the configuration. */
import { z } from 'zod';

const seconds = z.number().positive().max(86_400);

export const jobSettings = z
  .strictObject({
    concurrency: z.int().min(0).max(64).default(2).describe('Jobs that this process runs at once; 0 runs none here.'),
    pollSeconds: seconds.default(1).describe('How often to look for jobs that other processes queued.'),
    leaseSeconds: seconds
      .default(30)
      .describe('How long a job stays with a process that gives no sign of life; then another takes it up.'),
    renewSeconds: seconds.default(10).describe('How often a running job gives a sign of life; at most half the lease.'),
    retrySeconds: seconds
      .default(5)
      .describe('Wait before the second attempt; doubled for each further one, with some jitter.'),
    retryMaxSeconds: seconds.default(900).describe('Longest wait between two attempts.'),
    stopSeconds: seconds.default(10).describe('Seconds that running jobs get to stop at shutdown.'),
    keepDays: z.number().positive().max(3650).default(7).describe('Days for which finished jobs can still be seen.'),
  })
  .refine((jobs) => jobs.renewSeconds <= jobs.leaseSeconds / 2, {
    path: ['renewSeconds'],
    message: 'must be at most half of leaseSeconds, so that one renewal may fail',
    // Also told where another key of the section is wrong.
    when: ({ value }) => {
      const { renewSeconds, leaseSeconds } = value as Record<string, unknown>;
      return typeof renewSeconds === 'number' && typeof leaseSeconds === 'number';
    },
  });

export type JobSettings = z.output<typeof jobSettings>;
