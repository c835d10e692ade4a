/** The section `http.overload`: how many requests of each class are handled at a time, and how long others wait. */
import { z } from 'zod';

const count = z.int().min(1).max(100_000);

interface Limits {
  always: number;
  most: number;
  waiting: number;
  seconds: number;
}

function limits(what: string, { always, most, waiting, seconds }: Limits) {
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
