/** Error bodies: RFC 9457 problem details, unless a plugin shapes the errors of its own paths. */
import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { Fault } from '../fault.js';

export const problemType = 'application/problem+json';

/** The default error body. */
export const problem = z
  .strictObject({
    type: z.literal('about:blank'),
    title: z.string().describe('The HTTP status in words.'),
    status: z.int().describe('The HTTP status.'),
    detail: z.string().optional().describe('What is wrong, in a sentence.'),
    errors: z
      .array(
        z.strictObject({
          path: z.string().describe('The field, as in `samples.0.name`; empty for the input as a whole.'),
          detail: z.string(),
        }),
      )
      .optional()
      .describe('Every field that is wrong.'),
    requestId: z.string().describe('Names the request in the log.'),
  })
  .meta({ id: 'Problem', description: 'Problem details (RFC 9457).' });

export type ProblemBody = z.output<typeof problem>;

export function problemBody(fault: Fault, status: number, requestId: string): ProblemBody {
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    // The reason for an internal error is for the log, not for the caller.
    ...(fault.code === 'internal' ? {} : { detail: fault.message }),
    ...(fault.fields.length === 0
      ? {}
      : { errors: fault.fields.map(({ path, message }) => ({ path, detail: message })) }),
    requestId,
  };
}
