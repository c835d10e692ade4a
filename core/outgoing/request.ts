/** One request to another server, with limits on time and size. Redirects are not followed. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Fault } from '../fault.js';
import { responseText } from '../text.js';
import { tracedRequest, traceHeaders } from '../tracing/traced.js';
import { checkedLookup, checkHost, ForbiddenHost, type Reach } from './reach.js';

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
  reach?: Reach;
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
