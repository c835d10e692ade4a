/** Error bodies under a prefix whose interface prescribes them. */

import type { RequestHead } from '../auth/guard.js';
import type { Fault } from '../fault.js';

/** A plugin's own error body. The core still chooses the status. */
export interface ErrorBody {
  type?: string;
  body: unknown;
}

/** A request that failed. */
export interface FaultyRequest extends RequestHead {
  /** The input as sent, before validation. */
  sent?: unknown;
  /** The Content-Security-Policy nonce of a `text/html` body. */
  nonceOf(): string;
}

/** Undefined for the default body. */
export type ErrorShape = (fault: Fault, status: number, request: FaultyRequest) => ErrorBody | undefined;
