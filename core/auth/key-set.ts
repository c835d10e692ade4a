/** The published keys of an identity provider, cached. */
import type { JWTVerifyGetKey } from 'jose';
import type { Reach } from '../outgoing/reach.js';
import { send } from '../outgoing/request.js';
import type { StorageLog } from '../storage.js';
import { keyFetch } from './keys.js';

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
