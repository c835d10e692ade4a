/**
 * Requests to other servers, with limits on time and size: one that follows no redirects, and those whose response has the form
 * of `fetch`, over connections that are kept and lead to certain addresses only: to any of them, to servers that the
 * configuration names, or to allowed hosts.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { Fault } from '../fault.js';
import { responseText } from '../text.js';
import { tracedRequest, traceHeaders } from '../work.js';
import {
  type Address,
  type AddressReach,
  type AllowedHost,
  checkedLookup,
  checkHost,
  ForbiddenHost,
  namedAddress,
  type Resolve,
  redirectedAddress,
} from './reach.js';

export interface PeerRequest {
  url: URL;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
  maxBytes: number;
  signal: AbortSignal;
  /** Memory for this and other responses at the same time; without limit if omitted. */
  memory?: ByteBudget;
}

export interface PeerResponse {
  status: number;
  /** The media type as sent, in lower case, without parameters; empty if there is none. */
  type: string;
  /** Empty unless the status is 200. */
  body: string;
  /** `Retry-After` as sent: seconds, or a date. */
  retryAfter?: string | undefined;
}

export interface Outgoing {
  method: 'GET' | 'POST';
  url: URL;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal;
  /** Addresses to which the connection may lead; `any` if omitted: for servers that the operator names. */
  reach?: AddressReach;
  memory?: ByteBudget;
}

/** Bytes that several responses may occupy together while they arrive. */
export class ByteBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}

/** Sends a POST request; see `send`. */
export function postJson(request: PeerRequest): Promise<PeerResponse> {
  return send({ method: 'POST', ...request });
}

/** Throws `unavailable` with the reason, without address, token or any data that was sent. */
export function send(outgoing: Outgoing): Promise<PeerResponse> {
  return tracedRequest(outgoing.method, outgoing.url, () => limited(outgoing));
}

async function limited(outgoing: Outgoing): Promise<PeerResponse> {
  const { timeoutMs, maxBytes, signal } = outgoing;
  const slow = AbortSignal.timeout(timeoutMs);
  try {
    const response = await sent(outgoing, signal === undefined ? slow : AbortSignal.any([slow, signal]));
    const status = response.statusCode ?? 0;
    const type = (response.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    // The body of any other status is of no use, and may be endless.
    if (status !== 200) {
      response.destroy();
      return { status, type, body: '', retryAfter: response.headers['retry-after'] };
    }
    if (!['', 'identity'].includes(response.headers['content-encoding'] ?? '')) {
      response.destroy();
      throw new Fault('unavailable', 'sent a compressed response, which was not requested');
    }
    return { status, type, body: await responseBody(response, maxBytes, outgoing.memory) };
  } catch (error) {
    if (signal?.aborted) throw new Fault('unavailable', 'was interrupted');
    if (slow.aborted) throw new Fault('unavailable', `did not respond within ${timeoutMs / 1000} s`);
    if (error instanceof Fault) throw error;
    if (error instanceof ForbiddenHost) throw new Fault('unavailable', 'has an address that is not allowed');
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Fault('unavailable', `${untrusted[code] ?? 'cannot be reached'} (${code})`);
  }
}

const unknownIssuer = 'has a certificate of an unknown authority';

/** Failures that operators can resolve, by the codes of OpenSSL and Node.js. */
const untrusted: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  CERT_NOT_YET_VALID: 'has a certificate that is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownIssuer,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  EPROTO: 'violates the TLS protocol',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does not speak TLS',
};

async function sent(
  { method, url, headers, body, reach = 'any' }: Outgoing,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  checkHost(url.hostname, reach);
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      {
        method,
        // A connection for each request: a reused one that was closed meanwhile would look like a failure.
        agent: false,
        signal,
        headers: { ...traceHeaders(), ...headers, ...length },
        lookup: checkedLookup(reach),
      },
      resolve,
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

async function responseBody(
  response: IncomingMessage,
  maxBytes: number,
  memory: ByteBudget | undefined,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      // Leaving the loop closes the connection.
      if (bytes + chunk.length > maxBytes) throw new Fault('unavailable', `sent more than ${maxBytes} bytes`);
      if (memory?.take(chunk.length) === false) {
        throw new Fault('unavailable', 'sent its response while too many large ones arrived from others');
      }
      bytes += chunk.length;
      chunks.push(chunk);
    }
    return responseText(Buffer.concat(chunks), response.headers['content-type']);
  } finally {
    memory?.give(bytes);
  }
}

// Requests with a response in the form of `fetch`, over connections that are kept and lead to certain addresses only.

/** What is sent; a GET without a body if nothing is said. */
export interface SendOptions {
  method?: string | undefined;
  headers?: RequestInit['headers'];
  body?: Uint8Array | undefined;
  signal?: AbortSignal | null | undefined;
}

export interface Connections {
  /** Follows no redirects. The connection leads to an address within the reach. */
  fetch(url: URL, init: SendOptions, reach: AddressReach): Promise<Response>;
  /** Ends idle connections. */
  close(): void;
}

/** A name is resolved once per connection, which goes to the address that was checked: no second look-up could differ. */
export function connections(resolve?: Resolve): Connections {
  const agents = new Map<string, HttpAgent>();

  const agentFor = (protocol: string, reach: AddressReach): HttpAgent => {
    const key = `${protocol} ${reach}`;
    let agent = agents.get(key);
    if (agent === undefined) {
      const lookup = checkedLookup(reach, resolve);
      const options = { keepAlive: true, maxSockets: 8, lookup };
      agent = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
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
export function fetchOnce(url: URL, init: SendOptions, reach: AddressReach): Promise<Response> {
  return tracedRequest(init.method ?? 'GET', url, async () => {
    checkHost(url.hostname, reach);
    return responseOf(await request(url, init, { agent: false, lookup: checkedLookup(reach) }));
  });
}

function request(
  url: URL,
  { method = 'GET', headers, body, signal }: SendOptions,
  over: Pick<RequestOptions, 'agent' | 'lookup'>,
): Promise<IncomingMessage> {
  const begin = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((found, failed) => {
    const options = {
      ...over,
      method,
      // Responses are not decompressed.
      headers: { 'accept-encoding': 'identity', ...traceHeaders(), ...Object.fromEntries(new Headers(headers)) },
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
  const home = namedAddress(String(address));
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
    const next = left > 0 ? redirectedAddress(location, at.url, home) : undefined;
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
