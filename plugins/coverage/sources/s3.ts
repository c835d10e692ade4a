/** How the D4 library reads objects in S3: as over HTTP, with requests that are signed. */
import { operatorS3, type S3 } from '../../../core/outgoing.js';
import { isFault } from '../../../core/plugin.js';
import { D4Error } from '../d4/error.js';
import type { HttpOptions } from '../d4/source/http.js';

/** More than of other hosts: an object storage that is busy answers 503, and expects to be asked again. */
const attempts = 4;

/** `timeout` of one attempt in milliseconds. What the storage refuses is not tried again. */
export function s3Reading(s3: Pick<S3, 'fetch'>, timeout?: number): HttpOptions {
  const send: typeof fetch = async (input, init) => {
    const name = String(input);
    try {
      return await s3.fetch(name, init);
    } catch (error) {
      throw isFault(error) ? new D4Error('unreachable', error.message, name, { cause: error }) : error;
    }
  };
  return { fetch: send, attempts, ...(timeout !== undefined && { timeout }) };
}

/** With the credentials of the operator, for commands that read no configuration. */
export function operatorReading(): { options: HttpOptions; close(): void } {
  const s3 = operatorS3();
  return { options: s3Reading(s3), close: () => s3.close() };
}
