/** A `fetch` that connects only to allowed hosts, at exactly the addresses that were checked. */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { checkedLookup, ForbiddenHost, type Reach, type Resolve } from '../../../core/outgoing.js';
import type { AllowedHost } from './hosts.js';

export interface GuardOptions {
  allowed(url: URL): AllowedHost | undefined;
  /** Whether a redirect may lead from one URL to the other; to every allowed host if omitted. */
  mayFollow?(from: URL, to: URL): boolean;
  resolve?: Resolve;
}

export interface GuardedFetch {
  fetch: typeof fetch;
  /** Ends idle connections. */
  close(): void;
}

const mostRedirects = 3;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Redirects are followed to allowed hosts only; each is checked again. A name is resolved once per connection, which goes
 * to the address that was checked: there is no second look-up that could differ.
 */
export function guardedFetch({ allowed, mayFollow, resolve }: GuardOptions): GuardedFetch {
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

  const send = async (url: URL, init: RequestInit, left: number): Promise<Response> => {
    const host = allowed(url);
    if (host === undefined) throw new ForbiddenHost('the host is not on the list');
    const message = await request(url, init, agentFor(url.protocol, host.reach));
    const status = message.statusCode ?? 0;
    const { location } = message.headers;
    if (!redirects.has(status) || location === undefined) return responseOf(message, status);
    message.destroy();
    if (left === 0 || !URL.canParse(location, url.href))
      throw new ForbiddenHost('the host redirects too often or to an invalid URL');
    const next = new URL(location, url);
    if (mayFollow?.(url, next) === false) throw new ForbiddenHost('the host redirects to files of another tenant');
    return send(next, init, left - 1);
  };

  return {
    fetch: (input, init = {}) => send(new URL(input instanceof Request ? input.url : input), init, mostRedirects),
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

function request(url: URL, { headers, signal }: RequestInit, agent: http.Agent): Promise<IncomingMessage> {
  const { request: begin } = url.protocol === 'https:' ? https : http;
  return new Promise((found, failed) => {
    const options = {
      agent,
      headers: Object.fromEntries(new Headers(headers)),
      ...(signal ? { signal } : {}),
    };
    begin(url, options, found).on('error', failed).end();
  });
}

function responseOf(message: IncomingMessage, status: number): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const empty = status === 204 || status === 205 || status === 304;
  if (empty) message.resume();
  return new Response(empty ? null : (Readable.toWeb(message) as ReadableStream), { status, headers });
}
