/** Signed requests for objects (AWS Signature Version 4), and what a server says when it refuses one. */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { AwsV4Signer } from 'aws4fetch';
import { Fault } from '../../fault.js';
import type { AddressReach } from '../reach.js';
import type { Connections, SendOptions } from '../request.js';
import type { FindKeys, SigningKeys } from './credentials.js';
import { hostOfUrl, type S3Object, type S3Store } from './settings.js';

export interface RequestSigning {
  store: Pick<S3Store, 'endpoint' | 'region' | 'style'>;
  keys: FindKeys;
}

const emptyBody = createHash('sha256').update('').digest('hex');
/** Bytes of an error that are read for its code. */
const longestError = 16 * 1024;

/** A request about an object, or about its bucket; a GET if no method is given. */
export interface ObjectRequest extends SendOptions {
  /** Parameters of the URL. */
  query?: Readonly<Record<string, string>> | undefined;
}

/** The URL of an object, or of its bucket if the key is empty: the bucket in its host or in its path. */
export function urlOfObject({ bucket, key }: S3Object, { endpoint, region, style }: RequestSigning['store']): URL {
  const url = new URL(
    endpoint ?? `https://s3.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`,
  );
  const path = key.split('/').map(encoded).join('/');
  if ((style ?? (endpoint === undefined ? 'virtual' : 'path')) === 'path') url.pathname = `/${bucket}/${path}`;
  else {
    url.hostname = `${bucket}.${url.hostname}`;
    url.pathname = `/${path}`;
  }
  return url;
}

/** As the signature has it: everything but letters, digits and `-._~` is encoded. */
function encoded(part: string): string {
  return encodeURIComponent(part).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Headers that sign a request and its body. Others are added without being signed, because proxies may change them. */
export async function signatureOfRequest(
  url: URL,
  keys: SigningKeys,
  region: string,
  { method = 'GET', body, now }: Pick<ObjectRequest, 'method' | 'body'> & { now?: Date } = {},
): Promise<Headers> {
  const digest = body ? createHash('sha256').update(body).digest('hex') : emptyBody;
  const signer = new AwsV4Signer({
    ...{ ...keys, sessionToken: keys.sessionToken ?? '' },
    ...{ url: url.href, method, service: 's3', region, headers: { 'X-Amz-Content-Sha256': digest } },
    ...(now && { datetime: now.toISOString().replace(/[:-]|\.\d{3}/g, '') }),
  });
  return (await signer.sign()).headers;
}

/**
 * Gets, writes or removes an object, or lists its bucket. Throws an `unprocessable` fault if the server refuses the request: its
 * message names neither the key of the object nor any credential.
 */
export async function ask(
  object: S3Object,
  { store, keys }: RequestSigning,
  { query = {}, ...sent }: ObjectRequest,
  over: Connections,
): Promise<Response> {
  const url = urlOfObject(object, store);
  url.search = Object.keys(query)
    .sort()
    .map((name) => `${encoded(name)}=${encoded(query[name] ?? '')}`)
    .join('&');
  const found = await keys();
  const headers = found ? await signatureOfRequest(url, found, store.region, sent) : new Headers();
  new Headers(sent.headers).forEach((value, name) => {
    headers.set(name, value);
  });
  const response = await over.fetch(url, { ...sent, headers }, reachOf(url));
  const { status } = response;
  // What the caller understands: done, missing, replaced, an empty object, a server that fails.
  const isUsual = [200, 204, 206, 404, 408, 412, 416, 429].includes(status) || status >= 500;
  if (isUsual) return response;
  const code = await codeOf(response);
  if (transient.has(code)) return new Response(null, { status: 503 });
  const why = reasons[code] ?? (status >= 300 && status < 400 ? otherPlace : 'it refuses the request');
  const what = (sent.method ?? 'GET') === 'GET' ? 'deliver from' : 'write to';
  throw new Fault(
    'unprocessable',
    `The object storage did not ${what} the bucket ${object.bucket}: ${why} (${status}${code && ` ${code}`})`,
  );
}

/** A host that the operator named by its address leads anywhere; a name never to this machine. */
function reachOf(url: URL): AddressReach {
  const host = hostOfUrl(url);
  return isIP(host) !== 0 || host === 'localhost' || host.endsWith('.localhost') ? 'any' : 'private';
}

/** Failures with a status of the client that pass by themselves. */
const transient: ReadonlySet<string> = new Set(['RequestTimeout', 'SlowDown']);

const otherPlace = 'the bucket is in another region or at another address';
const reasons: Readonly<Record<string, string>> = {
  AccessDenied: 'the credentials do not allow it, or there is no such object',
  InvalidAccessKeyId: 'it does not know the access key',
  SignatureDoesNotMatch: 'the secret key is not the one of the access key',
  ExpiredToken: 'the credentials have expired',
  InvalidToken: 'the session token is not valid',
  RequestTimeTooSkewed: 'the clocks of the two servers differ',
  AuthorizationHeaderMalformed: 'the region is not that of the bucket',
  PermanentRedirect: otherPlace,
  TemporaryRedirect: otherPlace,
};

/** The code of an error document; empty if there is none. */
async function codeOf(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length > longestError) break;
  }
  return /<Code>([A-Za-z.]{1,60})<\/Code>/.exec(text)?.[1] ?? '';
}
