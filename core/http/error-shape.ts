/** How errors look below a prefix whose interface prescribes it. */

import type { RequestHead } from '../auth/guard.js';
import type { Fault } from '../fault.js';

/** How a plugin's own error body looks: for paths whose shape a contract prescribes. The status stays the core's. */
export interface ErrorBody {
  type?: string;
  body: unknown;
}

/** What is known of a request that is refused. */
export interface FaultyRequest extends RequestHead {
  /** What the client asked, before validation. */
  sent?: unknown;
  /** The Content-Security-Policy nonce of a `text/html` body. */
  nonceOf(): string;
}

export type ErrorShape = (fault: Fault, status: number, request: FaultyRequest) => ErrorBody;
