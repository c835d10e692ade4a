/** Who may use the routes of loqusdb: clients at configured addresses, clients that know the secret, or both. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Fault } from '../../../../core/plugin.js';
import { withinRanges } from '../../domain/addresses.js';
import type { LoqusdbSettings } from '../../loqusdb/settings.js';

/**
 * Returns a function that throws unless a request comes from a configured address and its path has the secret. A path with
 * a wrong secret is as if it did not exist, and other addresses cannot try any.
 */
export function gate({
  prefix,
  addresses,
  secret,
}: Pick<LoqusdbSettings, 'prefix' | 'addresses' | 'secret'>): (request: { ip: string; path: string }) => void {
  const isKnown = addresses.length === 0 ? () => true : withinRanges(addresses);
  const expected = secret === undefined ? undefined : digest(secret);
  return ({ ip, path }) => {
    if (!isKnown(ip)) {
      throw new Fault(
        'forbidden',
        'This address is not one of the configured clients; behind a proxy, set http.trustProxy',
      );
    }
    if (expected === undefined) return;
    const [sent = ''] = path.slice(prefix.length + 1).split('/', 1);
    // Digests have one length and can be compared in constant time.
    if (!timingSafeEqual(digest(sent), expected)) throw new Fault('not-found', 'There is nothing at this path');
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
