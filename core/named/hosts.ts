/** Which hosts a request may make the server connect to. */
import { isIP } from 'node:net';
import type { Reach } from '../outgoing/reach.js';

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
    const name = bare(host);
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

function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
