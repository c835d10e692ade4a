/**
 * An object storage on a real socket, as AWS documents it: path and virtual-host style, one range for each request, entity tags
 * with If-Match, uploads in parts, lists, errors as XML. It computes every signature (version 4) by itself, from the bytes of the request alone.
 */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3Server {
  /** `http://127.0.0.1:…`. */
  endpoint: string;
  port: number;
  /** By `bucket/key`. */
  objects: Map<string, Uint8Array>;
  /** When objects were written that are not new, by `bucket/key`. */
  written: Map<string, Date>;
  /** Uploads that are not complete, by their ids. */
  uploads: Map<string, { name: string; begun: Date; parts: Map<number, Uint8Array> }>;
  /** What was asked for so far. */
  requests: { method: string; host: string; path: string; headers: IncomingHttpHeaders }[];
  /** What happens to the next requests instead of an answer, one each. */
  faults: ('503' | '500' | 'drop' | 'short' | 'hang' | 'SlowDown' | 'deaf' | 'none')[];
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
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    answer(state, request, response, Buffer.concat(chunks));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const state: S3Server = {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    objects: new Map(),
    written: new Map(),
    uploads: new Map(),
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

function answer(state: S3Server, request: IncomingMessage, response: ServerResponse, body: Buffer): unknown {
  const { method = '', headers, url = '/' } = request;
  const { host = '', range = '' } = headers;
  const [path = '', query = ''] = url.split('?');
  state.requests.push({ method, host, path, headers });
  const refuse = (status: number, code: string) => {
    response.writeHead(status, { 'Content-Type': 'application/xml' });
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}: ${host}</Message></Error>`);
  };
  const fault = state.faults.shift();
  if (fault === '503' || fault === '500') return refuse(Number(fault), 'InternalError');
  if (fault === 'SlowDown') return refuse(400, 'SlowDown');
  if (fault === 'drop') return request.socket.destroy();
  if (fault === 'hang') return undefined;
  const refusal = state.keys && refusalOf(state, state.keys, request, body);
  if (refusal !== undefined) return refuse(refusal === 'AuthorizationHeaderMalformed' ? 400 : 403, refusal);
  const [bucket] = host.split('.s3.');
  const name = decodeURIComponent(host.includes('.s3.') ? `${bucket}${path}` : path.slice(1));
  if (method !== 'GET' || query !== '') {
    const [status, text, tag] = written(state, { method, name, query: new URLSearchParams(query), body });
    if (status >= 400) return refuse(status, text);
    // Done, but the client does not learn it.
    if (fault === 'deaf') return request.socket.destroy();
    response.writeHead(status, { 'Content-Type': 'application/xml', ...(tag && { ETag: tag }) }).end(text);
    return state.onAnswer();
  }
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

interface Writing {
  method: string;
  name: string;
  query: URLSearchParams;
  body: Buffer;
}

/** What a request that writes or lists gets: a status, a document or the code of an error, and a tag. */
function written(
  { objects, written, uploads }: S3Server,
  { method, name, query, body }: Writing,
): [number, string, string?] {
  const id = query.get('uploadId') ?? '';
  const upload = uploads.get(id);
  if (query.has('uploadId') && upload?.name !== name) return [404, 'NoSuchUpload'];
  if (method === 'GET') {
    const begin = name + (query.get('prefix') ?? '');
    return [200, query.has('uploads') ? listOf(uploads, begin, query) : objectsIn({ objects, written }, begin, query)];
  }
  if (method === 'POST' && query.has('uploads')) {
    const made = randomUUID();
    uploads.set(made, { name, begun: new Date(), parts: new Map() });
    return [200, `<InitiateMultipartUploadResult><UploadId>${made}</UploadId></InitiateMultipartUploadResult>`];
  }
  if (method === 'POST' && upload) {
    const found = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag>/g)];
    const parts = found.map(([, number]) => upload.parts.get(Number(number)));
    const isRight = parts.every((part, i) => part && etagOf(part) === found[i]?.[2]?.replaceAll('&#34;', '"'));
    if (!isRight || parts.length !== upload.parts.size) return [400, 'InvalidPart'];
    if (parts.slice(0, -1).some((part) => part && part.length < 5 * 1024 * 1024)) return [400, 'EntityTooSmall'];
    objects.set(name, Buffer.concat(parts as Uint8Array[]));
    uploads.delete(id);
    return [200, '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>'];
  }
  if (method === 'DELETE') {
    if (upload) uploads.delete(id);
    else objects.delete(name);
    return [204, ''];
  }
  if (upload) upload.parts.set(Number(query.get('partNumber')), body);
  else objects.set(name, body);
  return [200, '', etagOf(body)];
}

/** Two for each page, so that lists have several. */
const mostListed = 2;

function objectsIn(
  { objects, written }: Pick<S3Server, 'objects' | 'written'>,
  begin: string,
  query: URLSearchParams,
): string {
  const from = query.get('continuation-token') ?? '';
  const found = [...objects.keys()].filter((name) => name.startsWith(begin) && name > from).sort();
  const page = found.slice(0, mostListed).map((name) => {
    const at = (written.get(name) ?? new Date()).toISOString();
    return `<Contents><Key>${keyOf(name)}</Key><LastModified>${at}</LastModified></Contents>`;
  });
  const next = found.length > mostListed ? found[mostListed - 1] : undefined;
  const more = `<IsTruncated>${next !== undefined}</IsTruncated>`;
  const token = next === undefined ? '' : `<NextContinuationToken>${xml(next)}</NextContinuationToken>`;
  return `<ListBucketResult>${page.join('')}${more}${token}</ListBucketResult>`;
}

function listOf(uploads: S3Server['uploads'], begin: string, query: URLSearchParams): string {
  const after = `${query.get('key-marker') ?? ''} ${query.get('upload-id-marker') ?? ''}`;
  const found = [...uploads]
    .filter(([, { name }]) => name.startsWith(begin))
    .map(([id, { name, begun }]) => ({ id, key: name.slice(name.indexOf('/') + 1), begun }))
    .sort((a, b) => (`${a.key} ${a.id}` < `${b.key} ${b.id}` ? -1 : 1))
    .filter(({ id, key }) => `${key} ${id}` > after);
  const page = found.slice(0, mostListed).map(({ id, key, begun }) => {
    return `<Upload><Key>${xml(key)}</Key><UploadId>${id}</UploadId><Initiated>${begun.toISOString()}</Initiated></Upload>`;
  });
  const last = found[mostListed - 1];
  const isMore = found.length > mostListed;
  const more = `<IsTruncated>${isMore}</IsTruncated>`;
  const next =
    isMore && last
      ? `<NextKeyMarker>${xml(last.key)}</NextKeyMarker><NextUploadIdMarker>${last.id}</NextUploadIdMarker>`
      : '';
  return `<ListMultipartUploadsResult>${page.join('')}${more}${next}</ListMultipartUploadsResult>`;
}

function keyOf(name: string): string {
  return xml(name.slice(name.indexOf('/') + 1));
}

function xml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** The code of the error for a request that is not signed as it must be. */
function refusalOf(
  { region }: S3Server,
  keys: TestKeys,
  { method = '', url = '/', headers }: IncomingMessage,
  body: Buffer,
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
  if (headers['x-amz-content-sha256'] !== createHash('sha256').update(body).digest('hex')) {
    return 'XAmzContentSHA256Mismatch';
  }
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
