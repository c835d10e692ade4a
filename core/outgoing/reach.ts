/** Which addresses a connection may lead to, and how names are resolved for it. */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * `public`: only addresses of the internet; `private`: also those of a hospital's own networks; `any`: also this machine, if
 * the operator named it. No reach includes the metadata services of clouds.
 */
export type Reach = 'public' | 'private' | 'any';

/** Services that give the credentials of the machine to every program on it, by the documentation of each cloud. */
export const metadataServices: readonly { of: string; address: string; bits?: number }[] = [
  // 169.254.169.254 of most clouds, 169.254.170.2 and .23 of containers at Amazon, 169.254.0.23 of Tencent, 169.254.42.42 of Scaleway.
  { of: 'the link of this machine', address: '169.254.0.0', bits: 16 },
  { of: 'the link of this machine', address: 'fe80::', bits: 10 },
  { of: 'Amazon', address: 'fd00:ec2::', bits: 32 },
  { of: 'Google', address: 'fd20:ce::254' },
  { of: 'Azure', address: '168.63.129.16' },
  { of: 'Alibaba', address: '100.100.100.200' },
  { of: 'Oracle', address: '192.0.0.192' },
  { of: 'Oracle', address: 'fd00:c1::a9fe:a9fe' },
  { of: 'Volcano Engine', address: '100.96.0.96' },
  { of: 'Akamai', address: 'fd00:a9fe:a9fe::1' },
  { of: 'Scaleway', address: 'fd00:42::42' },
];

const metadata = new BlockList();
for (const { address, bits } of metadataServices) {
  metadata.addSubnet(address, bits ?? (isIP(address) === 6 ? 128 : 32), familyOf(address));
}

/** This machine, and addresses that are not a single host. */
const never = new BlockList();
never.addSubnet('0.0.0.0', 8);
never.addSubnet('127.0.0.0', 8);
never.addSubnet('192.0.0.0', 24);
never.addSubnet('224.0.0.0', 3);
never.addSubnet('::', 127, 'ipv6');
never.addSubnet('ff00::', 8, 'ipv6');

/** Networks that are not routed on the internet. */
const inside = new BlockList();
inside.addSubnet('10.0.0.0', 8);
inside.addSubnet('100.64.0.0', 10);
inside.addSubnet('172.16.0.0', 12);
inside.addSubnet('192.168.0.0', 16);
inside.addSubnet('198.18.0.0', 15);
inside.addSubnet('64:ff9b:1::', 48, 'ipv6');
inside.addSubnet('fc00::', 7, 'ipv6');
inside.addSubnet('fec0::', 10, 'ipv6');

/**
 * Whether a connection to this address is allowed. IPv4 addresses within an IPv6 address must be allowed as well. Text that is
 * no address in its usual form is refused, such as `0251.0376.0251.0376` or `2852039166`: a name must be resolved first.
 */
export function mayReach(address: string, reach: Reach): boolean {
  const [plain = ''] = address.split('%', 1);
  if (isIP(plain) === 0) return false;
  const all = [plain, ...embeddedIn(plain)];
  if (all.some((one) => isIn(metadata, one))) return false;
  return reach === 'any' || !all.some((one) => isIn(never, one) || (reach === 'public' && isIn(inside, one)));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

/** The IPv4 addresses to which an IPv6 address leads by way of a translator or tunnel. */
function embeddedIn(address: string): string[] {
  if (isIP(address) !== 6) return [];
  const words = wordsOf(address);
  const bytes = words.flatMap((word) => [word >> 8, word & 255]);
  const v4 = (...at: number[]) => at.map((i) => bytes[i]).join('.');
  const [a, b, c, d, e, f] = words;
  const last = v4(12, 13, 14, 15);
  // Mapped and compatible (RFC 4291) and translated (RFC 2765) addresses.
  const isWrapper = (e === 0 && (f === 0xffff || f === 0)) || (e === 0xffff && f === 0);
  if (a === 0 && b === 0 && c === 0 && d === 0 && isWrapper) return [last];
  // NAT64: at the end, or further in front if the prefix of the network has 48, 56 or 64 bits (RFC 6052, 2.2).
  if (a === 0x64 && b === 0xff9b) {
    const front = [v4(6, 7, 9, 10), v4(7, 9, 10, 11), v4(9, 10, 11, 12)];
    return [last, ...front.filter((one) => isIn(metadata, one))];
  }
  // 6to4 (RFC 3056).
  if (a === 0x2002) return [v4(2, 3, 4, 5)];
  // Teredo (RFC 4380): its server, and the client with all bits inverted.
  if (a === 0x2001 && b === 0) return [v4(4, 5, 6, 7), [12, 13, 14, 15].map((i) => 255 - (bytes[i] ?? 0)).join('.')];
  // ISATAP (RFC 5214).
  return f === 0x5efe && (e === 0 || e === 0x200) ? [last] : [];
}

/** The eight words of an IPv6 address. */
function wordsOf(address: string): number[] {
  const hex = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = hex.split('::');
  const read = (part: string) => (part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16)));
  const [left, right] = [read(head), read(tail ?? '')];
  return [...left, ...new Array<number>(Math.max(0, 8 - left.length - right.length)).fill(0), ...right];
}

// Resolves names for connections that may lead to certain addresses only.

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
