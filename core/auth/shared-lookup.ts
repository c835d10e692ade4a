/** Shares one look-up of a credential among requests that arrive at the same time. */
import { gather } from '../gather.js';

/**
 * Clients send many requests with one credential, and pages too. A request never uses a look-up that began before it arrived,
 * so that a credential is refused from the moment of its revocation.
 */
export function sharedLookup<Found>(
  findByHash: (hash: string) => Promise<Found | undefined>,
): (hash: string) => Promise<Found | undefined> {
  return gather<string, Found | undefined>({
    async together(hashes) {
      const distinct = [...new Set(hashes)];
      const found = await Promise.all(distinct.map((hash) => findByHash(hash)));
      const byHash = new Map(distinct.map((hash, i) => [hash, found[i]]));
      return hashes.map((hash) => byHash.get(hash));
    },
    most: 1000,
    groups: 1,
  });
}
