/** Connections to servers that the configuration names, and to those that they redirect to. */
import { connect, type Socket } from 'node:net';
import { type Address, named, redirected } from './addresses.js';
import { type Connections, fetchOnce, type Sending } from './fetch.js';
import { checkedLookup, checkHost, ForbiddenHost } from './lookup.js';

const mostRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Reads a document. Redirects are followed on the server's own host and to addresses of the internet; the metadata services of
 * clouds are never asked. Each request has a connection of its own unless `over` keeps them. Throws ForbiddenHost if the server is out of reach, or redirects out of it.
 */
export async function fetchNamed(
  address: string | URL,
  init: Omit<Sending, 'body' | 'method'> = {},
  over: Pick<Connections, 'fetch'> = { fetch: fetchOnce },
): Promise<Response> {
  const home = named(String(address));
  let at: Address = home;
  for (let left = mostRedirects; ; left--) {
    const headers = new Headers(init.headers);
    // Some servers refuse requests without these.
    if (!headers.has('accept')) headers.set('Accept', '*/*');
    headers.set('User-Agent', 'trefoil');
    const response = await over.fetch(at.url, { ...init, headers }, at.reach);
    const location = response.headers.get('location');
    if (!redirects.has(response.status) || location === null) return response;
    await response.body?.cancel();
    const next = left > 0 ? redirected(location, at.url, home) : undefined;
    if (next === undefined)
      throw new ForbiddenHost('the server redirects too often, or to an address that is not allowed');
    at = next;
  }
}

/** Opens a connection for a protocol other than HTTP. Throws ForbiddenHost if the host is a metadata service. */
export async function connectNamed(host: string, port: number, timeoutMs: number): Promise<Socket> {
  checkHost(host, 'any');
  return new Promise<Socket>((resolve, reject) => {
    const socket = connect({ host, port, lookup: checkedLookup('any') });
    const end = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    const slow = setTimeout(
      () => end(Object.assign(new Error('the connection was not made in time'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    );
    socket.once('close', () => clearTimeout(slow));
    socket.once('error', end);
    socket.once('connect', () => {
      clearTimeout(slow);
      socket.off('error', end);
      resolve(socket);
    });
  });
}
