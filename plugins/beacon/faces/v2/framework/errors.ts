/** Errors in the shape of beaconErrorResponse.json: with the full meta of an answer, whatever was wrong. */
import { z } from 'zod';
import type { AnswerDeclaration, ErrorBody, Fault } from '../../../../../core/plugin.js';
import { emptyRequest } from '../request/request.js';
import { responseMeta } from './meta.js';

/** The meta repeats defaults, never the request: a value that is not valid would make the error itself invalid. */
export function beaconError(beaconId: string, fault: Fault, status: number): ErrorBody {
  const request = { ...emptyRequest, granularity: 'boolean' as const };
  return {
    body: {
      meta: responseMeta(beaconId, request, { schemas: [], granularity: 'boolean' }),
      error: { errorCode: status, errorMessage: fault.message },
    },
  };
}

const errorResponse = z
  .strictObject({
    meta: z.looseObject({}),
    error: z.strictObject({ errorCode: z.int(), errorMessage: z.string() }),
  })
  .meta({ id: 'BeaconV2Error' });

const failure = (description: string): AnswerDeclaration => ({
  description,
  content: { 'application/json': errorResponse },
});

export const failures: Record<number, AnswerDeclaration> = {
  400: failure('The request is not valid.'),
  401: failure('The token is not valid; or only datasets that need a token were named, without one.'),
  403: failure('Only protected datasets were named, and the token opens none of them.'),
  404: failure('There is no such entry, or the caller may not see it.'),
  413: failure('The body is too large.'),
  415: failure('The body is not JSON.'),
  429: failure('Too many wide queries are waiting. Retry later.'),
};
