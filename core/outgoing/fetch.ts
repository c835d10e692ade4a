/**
 * Requests with a response in the form of `fetch`, over connections that are kept and lead to certain addresses only: to any of
 * them, to servers that the configuration names, or to allowed hosts.
 */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { tracedRequest, traceHeaders } from '../tracing/traced.js';
import { type Address, type AllowedHost, named, redirected } from './addresses.js';
import { checkedLookup, checkHost, ForbiddenHost, type Reach, type Resolve } from './reach.js';

/** What is sent; a GET without a body if nothing is said. */
export interface SendOptions {
  method?: string | undefined;
  headers?: RequestInit['headers'];
  body?: Uint8Array | undefined;
  signal?: AbortSignal | null | undefined;
}

export interface Connections {
  /** Follows no redirects. The connection leads to an address within the reach. */
  fetch(url: URL, init: SendOptions, reach: Reach): Promise<Response>;
  /** Ends idle connections. */
  close(): void;
}

/** A name is resolved once per connection, which goes to the address that was checked: no second look-up could differ. */
export function connections(resolve?: Resolve): Connections {
  const agents = new Map<string, http.Agent>();

  const agentFor = (protocol: string, reach: Reach): http.Agent => {
    const key = `${protocol} ${reach}`;
    let agent = agents.get(key);
    if (agent === undefined) {
      const lookup = checkedLookup(reach, resolve);
      const options = { keepAlive: true, maxSockets: 8, lookup };
      agent = protocol === 'https:' ? new https.Agent(options) : new http.Agent(options);
      agents.set(key, agent);
    }
    return agent;
  };

  return {
    fetch: (url, init, reach) =>
      tracedRequest(init.method ?? 'GET', url, async () => {
        checkHost(url.hostname, reach);
        return responseOf(await request(url, init, { agent: agentFor(url.protocol, reach) }));
      }),
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/** The same over a connection of its own, which ends with the response. */
export function fetchOnce(url: URL, init: SendOptions, reach: Reach): Promise<Response> {
  return tracedRequest(init.method ?? 'GET', url, async () => {
    checkHost(url.hostname, reach);
    return responseOf(await request(url, init, { agent: false, lookup: checkedLookup(reach) }));
  });
}

function request(
  url: URL,
  { method = 'GET', headers, body, signal }: SendOptions,
  over: Pick<http.RequestOptions, 'agent' | 'lookup'>,
): Promise<IncomingMessage> {
  const { request: begin } = url.protocol === 'https:' ? https : http;
  return new Promise((found, failed) => {
    const options = {
      ...over,
      method,
      headers: { ...traceHeaders(), ...Object.fromEntries(new Headers(headers)) },
      ...(signal ? { signal } : {}),
    };
    begin(url, options, found).on('error', failed).end(body);
  });
}

function responseOf(message: IncomingMessage): Response {
  const status = message.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const empty = status === 204 || status === 205 || status === 304;
  if (empty) message.resume();
  return new Response(empty ? null : (Readable.toWeb(message) as ReadableStream), { status, headers });
}

// Connections to servers that the configuration names, and to those that they redirect to.

const mostRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Reads a document. Redirects are followed on the server's own host and to addresses of the internet; the metadata services of
 * clouds are never asked. Each request has a connection of its own unless `over` keeps them. Throws ForbiddenHost if the server is out of reach, or redirects out of it.
 */
export async function fetchNamed(
  address: string | URL,
  init: Omit<SendOptions, 'body' | 'method'> = {},
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

// A `fetch` that connects only to allowed hosts, at exactly the addresses that were checked.

export interface GuardOptions {
  allowed(url: URL): AllowedHost | undefined;
  /** Whether a redirect may lead from one URL to the other; to every allowed host if omitted. */
  mayFollow?(from: URL, to: URL): boolean;
  resolve?: Resolve;
}

export interface GuardedFetch {
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Ends idle connections. */
  close(): void;
}

const mostGuardedRedirects = 3;
const guardedRedirects = new Set([301, 302, 303, 307, 308]);

/** Redirects are followed to allowed hosts only; each is checked again. */
export function guardedFetch({ allowed, mayFollow, resolve }: GuardOptions): GuardedFetch {
  const own = connections(resolve);

  const send = async (url: URL, { headers, signal }: RequestInit, left: number): Promise<Response> => {
    const host = allowed(url);
    if (host === undefined) throw new ForbiddenHost('the host is not on the list');
    const response = await own.fetch(url, { headers, signal }, host.reach);
    const location = response.headers.get('location');
    if (!guardedRedirects.has(response.status) || location === null) return response;
    await response.body?.cancel();
    if (left === 0 || !URL.canParse(location, url.href))
      throw new ForbiddenHost('the host redirects too often or to an invalid URL');
    const next = new URL(location, url);
    if (mayFollow?.(url, next) === false) throw new ForbiddenHost('the host redirects to files of another tenant');
    return send(next, { headers, signal }, left - 1);
  };

  return {
    fetch: (url, init = {}) => send(new URL(url), init, mostGuardedRedirects),
    close: () => own.close(),
  };
}
