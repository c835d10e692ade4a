/**
 * Which servers may be asked: those that the configuration names, what these name in turn, and the hosts to which a request may
 * make the server connect; which addresses a connection may lead to, and how names are resolved for it.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * `public`: only addresses of the internet; `private`: also those of a hospital's own networks; `any`: also this machine, if
 * the operator named it. No reach includes the metadata services of clouds.
 */
export type AddressReach = 'public' | 'private' | 'any';

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
  const family = familyOf(address);
  metadata.addSubnet(address, bits ?? (family === 'ipv6' ? 128 : 32), family);
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
export function mayReach(address: string, reach: AddressReach): boolean {
  const [plain = ''] = address.split('%', 1);
  if (isIP(plain) === 0) return false;
  const all = [plain, ...embeddedIn(plain)];
  if (all.some((one) => isIn(metadata, one))) return false;
  return reach === 'any' || !all.some((one) => isIn(never, one) || (reach === 'public' && isIn(inside, one)));
}

/** Of an address that is one. */
function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

/** The IPv4 addresses to which an IPv6 address leads by way of a translator or tunnel. */
function embeddedIn(address: string): string[] {
  if (familyOf(address) === 'ipv4') return [];
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
export function checkHost(host: string, reach: AddressReach): void {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0 && !mayReach(bare, reach)) throw new ForbiddenHost('the address is not allowed');
}

/**
 * A `lookup` for connections. The connection goes to the address that was checked: there is no second look-up that could
 * differ. A name with one forbidden address is refused, whatever its other addresses are.
 */
export function checkedLookup(reach: AddressReach, resolve: Resolve = resolveAll): LookupFunction {
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

// Which servers may be asked.

export interface Address {
  url: URL;
  /** Addresses to which a connection may lead. */
  reach: AddressReach;
}

/** Whether the configuration may name the address: `https`, or `http` on this machine. */
export function isConfigurable(text: string): boolean {
  return plainUrl(text) !== undefined;
}

/**
 * An address that the configuration names. A name may lead into the hospital's own networks, but not to this machine or to
 * the metadata service of a cloud: the owner of the name would choose what is requested. Throws unless it is configurable.
 */
export function configured(text: string): Address {
  const url = plainUrl(text);
  if (url === undefined) throw new TypeError('not an address of https');
  return { url, reach: isLiteral(url) ? 'any' : 'private' };
}

/**
 * An address that the configuration names, as the operator wrote it: with or without encryption, on this machine as well. Only
 * the metadata services of clouds are out of reach. Throws a TypeError unless it is one of http or https.
 */
export function namedAddress(text: string): Address {
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError('not an address of http or https');
  return { url, reach: 'any' };
}

/**
 * An address that a provider's metadata name. On another host than the provider's it must be one of the internet; undefined if
 * it may not be asked.
 */
export function discoveredAddress(text: unknown, provider: Address): Address | undefined {
  const url = typeof text === 'string' ? plainUrl(text) : undefined;
  if (url === undefined) return undefined;
  const mayBePlain = url.hostname === provider.url.hostname && url.protocol === provider.url.protocol;
  return url.protocol === 'https:' || mayBePlain ? addressBeside(url, provider) : undefined;
}

/**
 * An address to which a server redirects: on the host that the configuration names, or one of the internet, and not without
 * encryption if the redirect came with it. Undefined if it may not be asked.
 */
export function redirectedAddress(location: string, from: URL, home: Address): Address | undefined {
  if (!URL.canParse(location, from.href)) return undefined;
  const url = new URL(location, from.href);
  const isHttp = url.protocol === 'https:' || (url.protocol === 'http:' && from.protocol === 'http:');
  return isHttp && url.username === '' && url.password === '' ? addressBeside(url, home) : undefined;
}

/** What another server names: what may be reached on its own host, and on the internet. */
function addressBeside(url: URL, home: Address): Address | undefined {
  if (url.hostname === home.url.hostname) return { url, reach: home.reach };
  const host = bareHostOf(url);
  const mayBePublic = host !== 'localhost' && (isIP(host) === 0 || mayReach(host, 'public'));
  return mayBePublic ? { url, reach: 'public' } : undefined;
}

function plainUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  if (isIP(bareHostOf(url)) !== 0 && !mayReach(bareHostOf(url), 'any')) return undefined;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url)) ? url : undefined;
}

function isThisMachine(url: URL): boolean {
  const host = bareHostOf(url);
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Whether the operator wrote an address, and not a name that someone else resolves. */
function isLiteral(url: URL): boolean {
  return isIP(bareHostOf(url)) !== 0 || bareHostOf(url) === 'localhost';
}

function bareHostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

// Which hosts a request may make the server connect to.

/** `storage.example.org`, `*.example.org`, `minio:9000`, `10.0.0.5`, `[fd00::5]:9000`. */
export const hostPattern = /^(?:(?:\*\.)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

export interface AllowedHost {
  /** As in a URL, without brackets. */
  name: string;
  /** Addresses that a connection may lead to. */
  reach: AddressReach;
}

const usualPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Parses the list of the configuration. Returns what is allowed for the host of a URL; undefined if it is not listed. */
export function hostList(entries: readonly string[]): (url: URL) => AllowedHost | undefined {
  const known = entries.map((entry) => {
    const [, text = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry.startsWith('[') ? entry : entry) ?? [];
    // As in a URL: lower case, addresses in their shortest form.
    const name = text.startsWith('*.') ? text.toLowerCase() : (hostOf(text) ?? text.toLowerCase());
    return { name, port };
  });
  return (url) => {
    const usual = usualPorts[url.protocol];
    if (usual === undefined || url.username !== '' || url.password !== '') return undefined;
    const host = url.hostname;
    const port = url.port === '' ? usual : url.port;
    const fitting = known.filter((one) =>
      one.port === undefined ? port === usual : port === String(Number(one.port)),
    );
    const name = withoutBrackets(host);
    if (fitting.some((one) => one.name === host)) {
      return { name, reach: isIP(name) !== 0 || name === 'localhost' ? 'any' : 'private' };
    }
    const pattern = fitting.some((one) => one.name.startsWith('*.') && host.endsWith(one.name.slice(1)));
    return pattern && isIP(name) === 0 ? { name, reach: 'public' } : undefined;
  };
}

function hostOf(text: string): string | undefined {
  return URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : undefined;
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
