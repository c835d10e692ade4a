/** The setting `loqusdb`: the routes and commands of loqusdb, and the addresses of clients that may use them. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { z } from 'zod';

// Ranges of client addresses, as an operator writes them.

/** `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32` */
const addressRange = z
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

const datasetId = z.string().min(1);

const addressRanges = z.array(addressRange);

export const loqusdbSettings = z
  .strictObject({
    dataset: datasetId.describe('The dataset that it serves, and that `trefoil loqusdb` works on.'),
    databases: z
      .record(z.string().min(1), datasetId)
      .default({})
      .describe('Datasets for requests with the parameter db_name, by its value.'),
    prefix: z
      .string()
      .regex(/^(\/[A-Za-z0-9._~-]+)+$/, 'is a path without a slash at its end, such as /loqusdb')
      .default('/loqusdb')
      .describe('Path of its routes.'),
    addresses: z
      .union([
        z
          .string()
          .transform((text) => text.split(',').map((part) => part.trim()))
          .pipe(addressRanges),
        addressRanges,
      ])
      .default([])
      .describe(
        'Addresses of its clients, such as 10.0.0.0/8; requests from others are refused. As text, separated by commas. ' +
          'Behind proxies http.trustProxy must be set.',
      ),
    secret: z
      .string()
      .regex(/^[A-Za-z0-9_-]{16,128}$/, 'is made of 16 to 128 letters, digits and the signs _ and -')
      .optional()
      .describe(
        'A segment that follows the prefix in the path of every request; keep it in a file or the environment.',
      ),
    families: z.int().min(1).max(10_000).default(1000).describe('Largest number of case ids in an answer, the newest.'),
    homozygousCases: z
      .boolean()
      .default(false)
      .describe('Whether answers also name the cases with homozygous and with hemizygous individuals.'),
  })
  .refine(
    ({ addresses, secret }) => addresses.length > 0 || secret !== undefined,
    'needs addresses or a secret: its clients send no token, and it names cases',
  );

export type LoqusdbSettings = z.output<typeof loqusdbSettings>;
