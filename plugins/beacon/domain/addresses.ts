/** Ranges of client addresses, as an operator writes them. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { z } from 'zod';

/** `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32` */
export const addressRange = z
  .string()
  .refine((text) => familyOf(text) !== undefined, 'is an address or a range such as 10.0.0.0/8 or 2001:db8::/32');

function familyOf(range: string): 'ipv4' | 'ipv6' | undefined {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
  return bits === undefined || Number(bits) <= (family === 'ipv4' ? 32 : 128) ? family : undefined;
}

/** Returns whether an address is in one of the ranges; an IPv4 address counts as such when it is written as IPv6, too. */
export function withinRanges(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const family = familyOf(range);
    const [address = '', bits] = range.split('/');
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => (isIPv4(address) || isIPv6(address)) && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
