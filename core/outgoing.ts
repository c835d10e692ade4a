/** Door for requests to servers that the configuration names. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Fault } from './fault.js';

export interface PeerRequest {
  url: URL;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
  maxBytes: number;
  signal: AbortSignal;
}

export interface PeerResponse {
  status: number;
  body: string;
}

/**
 * Sends a POST request. Redirects are not followed; time and size of the response are limited. Throws `unavailable` with the
 * reason, without address, token or any data that was sent.
 */
export async function postJson({
  url,
  headers,
  body,
  timeoutMs,
  maxBytes,
  signal,
}: PeerRequest): Promise<PeerResponse> {
  const slow = AbortSignal.timeout(timeoutMs);
  const both = AbortSignal.any([slow, signal]);
  try {
    const response = await sent(url, headers, body, both);
    const status = response.statusCode ?? 0;
    // The body of any other status is of no use, and may be endless.
    if (status !== 200) {
      response.destroy();
      return { status, body: '' };
    }
    return { status, body: await text(response, maxBytes) };
  } catch (error) {
    if (signal.aborted) throw new Fault('unavailable', 'was interrupted');
    if (slow.aborted) throw new Fault('unavailable', `did not respond within ${timeoutMs / 1000} s`);
    if (error instanceof Fault) throw error;
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

function sent(url: URL, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      // A connection for each request: a reused one that was closed meanwhile would look like a failure.
      { method: 'POST', agent: false, signal, headers: { ...headers, 'Content-Length': Buffer.byteLength(body) } },
      resolve,
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

async function text(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > maxBytes) throw new Fault('unavailable', `sent more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
