/**
 * The only place where a cause becomes an HTTP status, and the error body that says it: RFC 9457 problem details, unless a
 * plugin shapes the errors of its own paths.
 */
import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { Fault, FaultCode } from '../fault.js';

const statuses: Record<FaultCode, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  conflict: 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  unprocessable: 422,
  'too-many-requests': 429,
  internal: 500,
  unavailable: 503,
  overloaded: 503,
  timeout: 504,
};

/** Returns the HTTP status for a fault's code; 500 for an unknown code, from a newer plugin. */
export function statusOf(code: FaultCode): number {
  return statuses[code] ?? 500;
}

/** Returns the code for a status that Koa middleware threw; `invalid` for a 4xx without its own code. */
export function codeOf(status: number): FaultCode {
  const found = (Object.keys(statuses) as FaultCode[]).find((code) => statuses[code] === status);
  return found ?? 'invalid';
}

// Error bodies: RFC 9457 problem details, unless a plugin shapes the errors of its own paths.

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
