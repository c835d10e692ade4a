/** The only place where a cause becomes an HTTP status. */
import type { FaultCode } from '../fault.js';

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
