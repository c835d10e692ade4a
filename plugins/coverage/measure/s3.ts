/** How the D4 library reads objects in S3: as over HTTP, with requests that are signed. */
import { connections, fetchNamed, operatorS3, type S3 } from '../../../core/outgoing.js';
import { isFault } from '../../../core/plugin.js';
import { D4Error, type Fetch, type HttpOptions } from '../d4/index.js';

/** More than of other hosts: an object storage that is busy answers 503, and expects to be asked again. */
const attempts = 4;

/** `timeout` of one attempt in milliseconds. What the storage refuses is not tried again. */
export function s3Reading(s3: Pick<S3, 'fetch'>, timeout?: number): HttpOptions {
  const send: Fetch = async (name, init) => {
    try {
      return await s3.fetch(name, init);
    } catch (error) {
      throw isFault(error) ? new D4Error('unreachable', error.message, name, { cause: error }) : error;
    }
  };
  return { fetch: send, attempts, ...(timeout !== undefined && { timeout }) };
}

/** How commands that read no configuration reach what their operator names: objects with the operator's credentials. */
export function operatorReading(): { http: HttpOptions; s3: HttpOptions; close(): void } {
  const s3 = operatorS3();
  const own = connections();
  const send: Fetch = (url, { headers, signal } = {}) => fetchNamed(url, { headers, signal }, own);
  const close = () => {
    s3.close();
    own.close();
  };
  return { http: { fetch: send }, s3: s3Reading(s3), close };
}
