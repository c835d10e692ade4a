/** Resolves names for connections that may lead to certain addresses only. */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { mayReach, type Reach } from './reach.js';

/** Resolves a name to all its addresses. */
export type Resolve = (name: string, found: (error: Error | null, addresses: LookupAddress[]) => void) => void;

/** A request or a redirect to a host that is not allowed. */
export class ForbiddenHost extends Error {
  override readonly name = 'ForbiddenHost';
}

/** Throws ForbiddenHost if the host is an address out of reach. A name is checked by `checkedLookup` when it is resolved. */
export function checkHost(host: string, reach: Reach): void {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0 && !mayReach(bare, reach)) throw new ForbiddenHost('the address is not allowed');
}

/**
 * A `lookup` for connections. The connection goes to the address that was checked: there is no second look-up that could
 * differ. A name with one forbidden address is refused, whatever its other addresses are.
 */
export function checkedLookup(reach: Reach, resolve: Resolve = resolveAll): LookupFunction {
  return (name, options, done) => {
    resolve(name, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) {
        done(error ?? new Error('the name has no address'), '');
      } else if (!addresses.every(({ address }) => mayReach(address, reach))) {
        done(new ForbiddenHost('the name resolves to an address that is not allowed'), '');
      } else if (options.all === true) {
        done(null, addresses);
      } else {
        done(null, first.address, first.family);
      }
    });
  };
}

function resolveAll(name: string, found: Parameters<Resolve>[1]): void {
  systemLookup(name, { all: true }, (error, addresses) => found(error, addresses));
}
