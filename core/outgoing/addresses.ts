/**
 * Which servers may be asked: those that the configuration names, and what these name in turn; and the hosts to which a request
 * may make the server connect.
 */
import { isIP } from 'node:net';
import { mayReach, type Reach } from './reach.js';

export interface Address {
  url: URL;
  /** Addresses to which a connection may lead. */
  reach: Reach;
}

/** Whether the configuration may name the address: `https`, or `http` on this machine. */
export function isConfigurable(text: string): boolean {
  return plainUrl(text) !== undefined;
}

/**
 * An address that the configuration names. A name may lead into the hospital's own networks, but not to this machine or to
 * the metadata service of a cloud: whoever controls the name would choose what is asked. Throws unless it is configurable.
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
  const url = typeof text === 'string' ? plainUrl(text) : undefined;
  if (url === undefined) return undefined;
  const mayBePlain = url.hostname === provider.url.hostname && url.protocol === provider.url.protocol;
  return url.protocol === 'https:' || mayBePlain ? addressBeside(url, provider) : undefined;
}

/**
 * An address to which a server redirects: on the host that the configuration names, or one of the internet, and not without
 * encryption if the redirect came with it. Undefined if it may not be asked.
 */
export function redirected(location: string, from: URL, home: Address): Address | undefined {
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
  reach: Reach;
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
