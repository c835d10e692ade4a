/** Which servers may be asked for keys and visas: those that the configuration names, and what these name in turn. */
import { isIP } from 'node:net';
import { mayReach, type Reach } from './reach.js';

export interface Address {
  url: URL;
  /** Addresses to which a connection may lead. */
  reach: Reach;
}

/** Whether the configuration may name the address: `https`, or `http` on this machine. */
export function isConfigurable(text: string): boolean {
  return plain(text) !== undefined;
}

/**
 * An address that the configuration names. A name may lead into the hospital's own networks, but not to this machine or to
 * the metadata service of a cloud: whoever controls the name would choose what is asked. Throws unless it is configurable.
 */
export function configured(text: string): Address {
  const url = plain(text);
  if (url === undefined) throw new TypeError('not an address of https');
  return { url, reach: isLiteral(url) ? 'any' : 'private' };
}

/**
 * An address that the configuration names, as the operator wrote it: with or without encryption, on this machine as well. Only
 * the metadata services of clouds are out of reach. Throws a TypeError unless it is one of http or https.
 */
export function named(text: string): Address {
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError('not an address of http or https');
  return { url, reach: 'any' };
}

/**
 * An address that a provider's metadata name. On another host than the provider's it must be one of the internet; undefined if
 * it may not be asked.
 */
export function discovered(text: unknown, provider: Address): Address | undefined {
  const url = typeof text === 'string' ? plain(text) : undefined;
  if (url === undefined) return undefined;
  const mayBePlain = url.hostname === provider.url.hostname && url.protocol === provider.url.protocol;
  return url.protocol === 'https:' || mayBePlain ? beside(url, provider) : undefined;
}

/**
 * An address to which a server redirects: on the host that the configuration names, or one of the internet, and not without
 * encryption if the redirect came with it. Undefined if it may not be asked.
 */
export function redirected(location: string, from: URL, home: Address): Address | undefined {
  if (!URL.canParse(location, from.href)) return undefined;
  const url = new URL(location, from.href);
  const isHttp = url.protocol === 'https:' || (url.protocol === 'http:' && from.protocol === 'http:');
  return isHttp && url.username === '' && url.password === '' ? beside(url, home) : undefined;
}

/** What another server names: what may be reached on its own host, and on the internet. */
function beside(url: URL, home: Address): Address | undefined {
  if (url.hostname === home.url.hostname) return { url, reach: home.reach };
  const host = bare(url);
  const mayBePublic = host !== 'localhost' && (isIP(host) === 0 || mayReach(host, 'public'));
  return mayBePublic ? { url, reach: 'public' } : undefined;
}

function plain(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  if (isIP(bare(url)) !== 0 && !mayReach(bare(url), 'any')) return undefined;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url)) ? url : undefined;
}

function isThisMachine(url: URL): boolean {
  const host = bare(url);
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Whether the operator wrote an address, and not a name that someone else resolves. */
function isLiteral(url: URL): boolean {
  return isIP(bare(url)) !== 0 || bare(url) === 'localhost';
}

function bare({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
