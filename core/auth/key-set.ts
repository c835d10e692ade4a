/** The published keys of an identity provider, cached. */
import type { JWTVerifyGetKey } from 'jose';
import type { StorageLog } from '../storage.js';
import { keyFetch } from './keys.js';

export interface KeySetOptions {
  url: URL;
  /** Seconds after which a fetch of the keys is aborted. */
  timeout: number;
  /** Minimum seconds between two fetches because of unknown keys, which anyone can name. */
  cooldown: number;
  /** Minimum seconds between two fetches of a provider that fails; `cooldown` if omitted. */
  retry?: number;
  /** Sends the request; the global `fetch` if omitted. */
  fetch?(url: string, init: RequestInit): Promise<Response>;
  log: Pick<StorageLog, 'warn'>;
}

/** The keys cannot be fetched, so that nothing is known of the token. */
export class KeysUnavailable extends Error {}

/**
 * Makes a function that finds the key for a token's header. The keys are fetched on first use, every ten minutes, and when a
 * token names an unknown key (rotation), but never more often than `cooldown` allows. Throws KeysUnavailable, or an error of
 * jose if there is no such key.
 */
export async function keySet({ url, timeout, cooldown, retry, fetch, log }: KeySetOptions): Promise<JWTVerifyGetKey> {
  const jose = await import('jose');
  const source = keyFetch({ cooldown: (retry ?? cooldown) * 1000, log, ...(fetch === undefined ? {} : { fetch }) });
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
