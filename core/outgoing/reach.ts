/** Which addresses a connection may lead to. */
import { BlockList, isIP } from 'node:net';

/**
 * `public`: only addresses of the internet; `private`: also those of a hospital's own networks; `any`: also this machine,
 * if the operator named it by its address.
 */
export type Reach = 'public' | 'private' | 'any';

/** This machine, its link (with the metadata services of clouds), and addresses that are not a single host. */
const never = new BlockList();
never.addSubnet('0.0.0.0', 8);
never.addSubnet('127.0.0.0', 8);
never.addSubnet('169.254.0.0', 16);
never.addSubnet('192.0.0.0', 24);
never.addSubnet('224.0.0.0', 3);
never.addSubnet('::', 127, 'ipv6');
never.addSubnet('fe80::', 10, 'ipv6');
never.addSubnet('ff00::', 8, 'ipv6');
never.addAddress('fd00:ec2::254', 'ipv6');

/** Networks that are not routed on the internet. */
const inside = new BlockList();
inside.addSubnet('10.0.0.0', 8);
inside.addSubnet('100.64.0.0', 10);
inside.addSubnet('172.16.0.0', 12);
inside.addSubnet('192.168.0.0', 16);
inside.addSubnet('198.18.0.0', 15);
inside.addSubnet('fc00::', 7, 'ipv6');
inside.addSubnet('fec0::', 10, 'ipv6');

/** Whether a connection to this address is allowed. An address that wraps an IPv4 address is judged by that one. */
export function mayReach(address: string, reach: Reach): boolean {
  if (reach === 'any') return true;
  const plain = unwrapped(address);
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(plain) === 0 || never.check(plain, family)) return false;
  return reach === 'private' || !inside.check(plain, family);
}

/** The IPv4 address in `::ffff:a.b.c.d`, `64:ff9b::/96` (NAT64) and `2002::/16` (6to4); else the address itself. */
function unwrapped(address: string): string {
  if (isIP(address) !== 6) return address;
  const words = wordsOf(address);
  const v4 = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const [a, b, c, d, e, f, g = 0, h = 0] = words;
  const mapped = a === 0 && b === 0 && c === 0 && d === 0 && e === 0 && f === 0xffff;
  if (mapped || (a === 0x64 && b === 0xff9b)) return v4(g, h);
  if (a === 0x2002) return v4(b ?? 0, c ?? 0);
  return address;
}

/** The eight words of an IPv6 address. */
function wordsOf(address: string): number[] {
  const hex = new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1);
  const [head = '', tail] = hex.split('::');
  const read = (part: string) => (part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16)));
  const [left, right] = [read(head), read(tail ?? '')];
  return [...left, ...new Array<number>(Math.max(0, 8 - left.length - right.length)).fill(0), ...right];
}
