/** Requests that are made again if a connection breaks, or if the storage is too slow or too busy. */
import { setTimeout } from 'node:timers/promises';
import { Fault, isFault } from '../../fault.js';

const attempts = 5;
/** Milliseconds before the second attempt; twice that before the next, and so on. */
const firstPause = 200;
/** Milliseconds in which an answer must have arrived. */
const timeout = 120_000;

/** A failure that may pass; its message says what the storage did. */
export class Failed extends Error {}

/**
 * Makes the same request up to five times, after growing, random pauses. Throws an `unavailable` fault that begins with `says`
 * if none succeeds; faults of the request, and the end of `ended`, are thrown at once.
 */
export async function retrying<T>(
  says: string,
  request: (signal: AbortSignal, attempt: number) => Promise<T>,
  ended: AbortSignal = new AbortController().signal,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const slow = AbortSignal.timeout(timeout);
    try {
      return await request(AbortSignal.any([ended, slow]), attempt);
    } catch (cause) {
      ended.throwIfAborted();
      if (isFault(cause)) throw cause;
      if (attempt === attempts) {
        const why = cause instanceof Failed ? cause.message : slow.aborted ? 'it is too slow' : 'it cannot be reached';
        throw new Fault('unavailable', `${says}: ${why}`, { cause });
      }
    }
    await setTimeout(firstPause * 2 ** (attempt - 1) * (0.5 + Math.random()), undefined, { signal: ended });
  }
}
