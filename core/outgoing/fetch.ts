/** One request with a response in the form of `fetch`, over connections that are kept and lead to certain addresses only. */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { traceHeaders } from '../tracing/traced.js';
import { checkedLookup, checkHost, type Resolve } from './lookup.js';
import type { Reach } from './reach.js';
import { tracedRequest } from './traced-request.js';

/** What is sent; a GET without a body if nothing is said. */
export interface Sending {
  method?: string | undefined;
  headers?: RequestInit['headers'];
  body?: Uint8Array | undefined;
  signal?: AbortSignal | null | undefined;
}

export interface Connections {
  /** Follows no redirects. The connection leads to an address within the reach. */
  fetch(url: URL, init: Sending, reach: Reach): Promise<Response>;
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
export function fetchOnce(url: URL, init: Sending, reach: Reach): Promise<Response> {
  return tracedRequest(init.method ?? 'GET', url, async () => {
    checkHost(url.hostname, reach);
    return responseOf(await request(url, init, { agent: false, lookup: checkedLookup(reach) }));
  });
}

function request(
  url: URL,
  { method = 'GET', headers, body, signal }: Sending,
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
