/** The published keys of an identity provider: fetched rarely, with limits, and cached during an outage. */
import type { JWTVerifyGetKey } from 'jose';
import type { Reach } from '../../outgoing/reach.js';
import { send } from '../../outgoing/request.js';
import type { StorageLog } from '../../storage.js';

export interface KeySetOptions {
  url: URL;
  /** Addresses to which the connection may lead. */
  reach: Reach;
  /** Seconds after which a fetch of the keys is aborted. */
  timeout: number;
  /** Minimum seconds between two fetches because of unknown keys, which anyone can name. */
  cooldown: number;
  /** Minimum seconds between two fetches of a provider that fails; `cooldown` if omitted. */
  retry?: number;
  log: Pick<StorageLog, 'warn'>;
}

/** Maximum bytes of a key set; a usual one has a few kilobytes. */
const maxBytes = 1024 * 1024;

/** The keys cannot be fetched, so that nothing is known of the token. */
export class KeysUnavailable extends Error {}

/**
 * Makes a function that finds the key for a token's header. The keys are fetched on first use, every ten minutes, and when a
 * token names an unknown key (rotation), but never more often than `cooldown` allows. Throws KeysUnavailable, or an error of
 * jose if there is no such key.
 */
export async function keySet(options: KeySetOptions): Promise<JWTVerifyGetKey> {
  const { url, reach, timeout, cooldown, retry, log } = options;
  const jose = await import('jose');
  const source = keyFetch({
    cooldown: (retry ?? cooldown) * 1000,
    log,
    async read() {
      const { status, body } = await send({ method: 'GET', url, reach, timeoutMs: timeout * 1000, maxBytes });
      if (status !== 200) throw new Error(`the identity provider responds with status ${status}`);
      return body;
    },
  });
  const published = jose.createRemoteJWKSet(url, {
    timeoutDuration: timeout * 1000,
    cooldownDuration: cooldown * 1000,
    [jose.customFetch]: source.fetch,
  });
  const { JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported } = jose.errors;
  return async (...asked) => {
    try {
      return await published(...asked);
    } catch (error) {
      // The missing key may have been published while the provider could not be reached.
      const missing = error instanceof JWKSNoMatchingKey && !source.failing();
      if (missing || error instanceof JWKSMultipleMatchingKeys || error instanceof JOSENotSupported) throw error;
      throw new KeysUnavailable('the keys could not be fetched', { cause: error });
    }
  };
}

// Fetches the keys of an identity provider: rarely, with limits, and cached during an outage.

interface KeyFetchOptions {
  /** Minimum milliseconds between two attempts. */
  cooldown: number;
  /** Requests the key set once. Throws if there is none. */
  read(): Promise<string>;
  log: Pick<StorageLog, 'warn'>;
}

/** Milliseconds for which cached keys are used while the provider fails. Its tokens rarely live longer. */
const keep = 60 * 60 * 1000;

interface KeyFetch {
  fetch(): Promise<Response>;
  /** Whether the last attempt failed, so that the cached keys may be outdated. */
  failing(): boolean;
}

/**
 * Makes a `fetch` for key sets. After a failure it returns the keys of the last success, for up to an hour, or fails if
 * there are none; it does not contact the provider again before the cooldown is over.
 */
function keyFetch({ cooldown, read, log }: KeyFetchOptions): KeyFetch {
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
