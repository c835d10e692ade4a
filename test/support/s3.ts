/**
 * An object storage on a real socket, as AWS documents it: path and virtual-host style, one range for each request, entity tags
 * with If-Match, errors as XML. It computes every signature (version 4) by itself, from the bytes of the request alone.
 */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3Server {
  /** `http://127.0.0.1:…`. */
  endpoint: string;
  port: number;
  /** By `bucket/key`. */
  objects: Map<string, Uint8Array>;
  /** What was asked for so far. */
  requests: { host: string; path: string; headers: IncomingHttpHeaders }[];
  /** What happens to the next requests instead of an answer, one each. */
  faults: ('503' | '500' | 'drop' | 'short' | 'hang' | 'SlowDown')[];
  /** Accepts requests without a signature if undefined. */
  keys: TestKeys | undefined;
  region: string;
  /** Called after each answer. */
  onAnswer: () => void;
  close(): Promise<void>;
}

export interface TestKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export const testKeys = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

export async function serveS3(): Promise<S3Server> {
  const server = createServer((request, response) => answer(state, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const state: S3Server = {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    objects: new Map(),
    requests: [],
    faults: [],
    keys: testKeys,
    region: 'eu-north-1',
    onAnswer: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return state;
}

export function etagOf(bytes: Uint8Array): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function answer(state: S3Server, request: IncomingMessage, response: ServerResponse): unknown {
  const { headers, url = '/' } = request;
  const { host = '', range = '' } = headers;
  const [path = ''] = url.split('?');
  state.requests.push({ host, path, headers });
  const refuse = (status: number, code: string) => {
    response.writeHead(status, { 'Content-Type': 'application/xml' });
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}: ${host}</Message></Error>`);
  };
  const fault = state.faults.shift();
  if (fault === '503' || fault === '500') return refuse(Number(fault), 'InternalError');
  if (fault === 'SlowDown') return refuse(400, 'SlowDown');
  if (fault === 'drop') return request.socket.destroy();
  if (fault === 'hang') return undefined;
  const refusal = state.keys && refusalOf(state, state.keys, request);
  if (refusal !== undefined) return refuse(refusal === 'AuthorizationHeaderMalformed' ? 400 : 403, refusal);
  const [bucket] = host.split('.s3.');
  const name = decodeURIComponent(host.includes('.s3.') ? `${bucket}${path}` : path.slice(1));
  const bytes = state.objects.get(name);
  if (bytes === undefined) return refuse(404, 'NoSuchKey');
  const etag = etagOf(bytes);
  if (headers['if-match'] !== undefined && headers['if-match'] !== etag) return refuse(412, 'PreconditionFailed');
  response.setHeader('ETag', etag).setHeader('Accept-Ranges', 'bytes');
  // Several ranges get the whole object.
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
  if (from === undefined) response.writeHead(200, { 'Content-Length': bytes.length }).end(bytes);
  else if (Number(from) >= bytes.length) return refuse(416, 'InvalidRange');
  else {
    const part = bytes.subarray(Number(from), Number(to) + 1);
    const last = Number(from) + part.length - 1;
    response.writeHead(206, {
      'Content-Length': part.length,
      'Content-Range': `bytes ${from}-${last}/${bytes.length}`,
    });
    if (fault === 'short') response.write(part.subarray(0, part.length / 2), () => request.socket.destroy());
    else response.end(part);
  }
  return state.onAnswer();
}

/** The code of the error for a request that is not signed as it must be. */
function refusalOf(
  { region }: S3Server,
  keys: TestKeys,
  { method = '', url = '/', headers }: IncomingMessage,
): string | undefined {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    );
  const [, accessKeyId, , signedRegion, signed = '', signature] = found ?? [];
  if (found === null) return 'AccessDenied';
  if (accessKeyId !== keys.accessKeyId) return 'InvalidAccessKeyId';
  if (signedRegion !== region) return 'AuthorizationHeaderMalformed';
  if (headers['x-amz-security-token'] !== keys.sessionToken) return 'InvalidToken';
  const mustBeSigned = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
  const names = signed.split(';');
  if (mustBeSigned.some((name) => !names.includes(name))) return 'AccessDenied';
  const values = Object.fromEntries(names.map((name) => [name, String(headers[name] ?? '')]));
  const [path = '', query = ''] = url.split('?');
  const right = signatureV4({ method, path, query, headers: values, region, secretAccessKey: keys.secretAccessKey });
  return signature === right ? undefined : 'SignatureDoesNotMatch';
}

export interface Signable {
  method: string;
  /** As sent. */
  path: string;
  /** Encoded and in order. */
  query: string;
  /** Those that are signed, in lower case. */
  headers: Readonly<Record<string, string>>;
  region: string;
  secretAccessKey: string;
}

/** Signature version 4 for S3, step by step as AWS documents it. */
export function signatureV4({ method, path, query, headers, region, secretAccessKey }: Signable): string {
  const names = Object.keys(headers).sort();
  const date = headers['x-amz-date'] ?? '';
  const day = date.slice(0, 8);
  const canonical = [
    method,
    path,
    query,
    ...names.map((name) => `${name}:${headers[name]?.trim()}`),
    '',
    names.join(';'),
    headers['x-amz-content-sha256'],
  ].join('\n');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const toSign = ['AWS4-HMAC-SHA256', date, `${day}/${region}/s3/aws4_request`, digest].join('\n');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, toSign).toString('hex');
}
