/** Fetches the keys of an identity provider: rarely, with limits, and cached during an outage. */
import type { StorageLog } from '../storage.js';

export interface KeyFetchOptions {
  /** Minimum milliseconds between two attempts. */
  cooldown: number;
  /** Requests the key set once. Throws if there is none. */
  read(): Promise<string>;
  log: Pick<StorageLog, 'warn'>;
}

/** Milliseconds for which cached keys are used while the provider fails. Its tokens rarely live longer. */
const keep = 60 * 60 * 1000;

export interface KeyFetch {
  fetch(): Promise<Response>;
  /** Whether the last attempt failed, so that the cached keys may be outdated. */
  failing(): boolean;
}

/**
 * Makes a `fetch` for key sets. After a failure it returns the keys of the last success, for up to an hour, or fails if
 * there are none; it does not contact the provider again before the cooldown is over.
 */
export function keyFetch({ cooldown, read, log }: KeyFetchOptions): KeyFetch {
  let last: { text: string; at: number } | undefined;
  let failed: { error: unknown; at: number } | undefined;

  const lastKnown = (error: unknown): Response => {
    if (last === undefined || performance.now() - last.at > keep) throw error;
    return answer(last.text);
  };

  const attempt: KeyFetch['fetch'] = async () => {
    if (failed !== undefined && performance.now() - failed.at < cooldown) return lastKnown(failed.error);
    try {
      const text = await read();
      JSON.parse(text);
      last = { text, at: performance.now() };
      failed = undefined;
      return answer(text);
    } catch (error) {
      failed = { error, at: performance.now() };
      log.warn({ kept: last !== undefined }, 'the keys of the identity provider could not be fetched');
      return lastKnown(error);
    }
  };
  return { fetch: attempt, failing: () => failed !== undefined };
}

function answer(text: string): Response {
  return new Response(text, { status: 200, headers: { 'Content-Type': 'application/json' } });
}
