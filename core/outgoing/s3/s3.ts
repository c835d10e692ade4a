/** Objects in S3, in the buckets that the configuration lists. What signs requests is loaded with the first of them. */
import { Fault } from '../../fault.js';
import type { Source, Stored } from '../../files/source.js';
import type { StorageLog } from '../../storage.js';
import type { Resolve } from '../reach.js';
import { type Connections, connections } from '../request.js';
import { type KeyVariables, keysOfCredentials } from './credentials.js';
import { type Objects, objectsUnder } from './objects.js';
import type { ObjectRequest, RequestSigning } from './request.js';
import { isS3, type S3Object, type S3Store, s3Object, s3Store } from './settings.js';

export interface S3 {
  /** Whether the configuration says how the object, or all objects under a prefix, are reached. */
  covers(text: string): boolean;
  /**
   * Gets an object by its name, with the headers and the signal of `init`. Throws an `unprocessable` fault if it is not in a
   * configured bucket, or if the server refuses the credentials.
   */
  fetch(text: string, init?: RequestInit): Promise<Response>;
  /** Opens a VCF or BED file, which is read once, in parts. Throws `unprocessable` if there is none, `unavailable` if the server fails. */
  open(text: string): Promise<Source>;
  /** The same, as it is stored. */
  stored(text: string): Promise<Stored>;
  /** The objects whose names begin so, to write, list and remove them. Throws an `invalid` fault if no bucket covers them. */
  objects(prefix: string): Objects;
  /** Ends idle connections. */
  close(): void;
}

export interface S3Options {
  stores: readonly S3Store[];
  log?: Pick<StorageLog, 'warn'> | undefined;
  environment?: KeyVariables | undefined;
  /** For tests: how names of hosts become addresses. */
  resolve?: Resolve | undefined;
}

export function createS3({ stores, log, environment, resolve }: S3Options): S3 {
  const known = stores
    .map((store) => ({ prefix: store.prefix, store, keys: keysOfCredentials(store.credentials, environment) }))
    .sort((a, b) => b.prefix.length - a.prefix.length);
  return s3Of((text) => known.find(({ prefix }) => text.startsWith(prefix)), { log, resolve });
}

/**
 * Any bucket that the operator's own credentials open, for commands that read no configuration: as the AWS command line, by
 * AWS_REGION, AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, and the variables or the file with the keys.
 */
export function operatorS3(environment: KeyVariables = process.env): S3 {
  const endpoint = environment.AWS_ENDPOINT_URL_S3 || environment.AWS_ENDPOINT_URL || undefined;
  const region = environment.AWS_REGION || environment.AWS_DEFAULT_REGION || undefined;
  const keys = keysOfCredentials('environment', environment);
  return s3Of((text) => {
    const { bucket = '' } = s3Object(text) ?? {};
    const style = bucket.includes('.') ? 'path' : undefined;
    const store = s3Store.safeParse({ prefix: `s3://${bucket}/`, endpoint, region, style });
    if (store.success) return { store: store.data, keys };
    const { path, message } = store.error.issues[0] ?? { path: [], message: '' };
    throw new Fault('invalid', `The variables of AWS are not valid: ${path.join('.')} ${message}`);
  }, {});
}

function s3Of(
  find: (text: string) => RequestSigning | undefined,
  { log, resolve }: Pick<S3Options, 'log' | 'resolve'>,
): S3 {
  let own: Connections | undefined;
  const send = async (object: S3Object, signing: RequestSigning, asking: ObjectRequest): Promise<Response> => {
    const { ask } = await import('./request.js');
    own ??= connections(resolve);
    try {
      return await ask(object, signing, asking, own);
    } catch (error) {
      // Clients do not learn whether an object is missing or refused: the operator must.
      const what = (asking.method ?? 'GET') === 'GET' ? 'read' : 'written';
      if (error instanceof Fault) log?.warn({ reason: error.message }, `an object in S3 could not be ${what}`);
      throw error;
    }
  };
  const get: S3['fetch'] = async (text, { headers, signal } = {}) => {
    const object = s3Object(text);
    const signing = object && find(text);
    if (!object) throw new Fault('unprocessable', 'An object in S3 is named as s3://bucket/key');
    if (!signing) {
      throw new Fault(
        'unprocessable',
        `No prefix in the section s3 of the configuration covers the bucket ${object.bucket}`,
      );
    }
    return send(object, signing, { headers, signal });
  };
  const covering = (text: string) => find(text.endsWith('/') ? `${text}x` : text);
  return {
    covers: (text) => covering(text) !== undefined,
    fetch: get,
    open: async (text) => (await import('./source.js')).openObject(text, get),
    stored: async (text) => (await import('./source.js')).storedObject(text, get),
    objects(prefix) {
      const object = s3Object(`${prefix}x`);
      const signing = covering(prefix);
      if (!object || !signing) throw uncoveredPrefix(prefix);
      const { bucket, key } = object;
      return objectsUnder(key.slice(0, -1), (key, asking) => send({ bucket, key }, signing, asking));
    },
    close: () => own?.close(),
  };
}

/** The fault for a prefix that the section `s3` says nothing of. */
export function uncoveredPrefix(prefix: string): Fault {
  return new Fault('invalid', `No prefix in the section s3 of the configuration covers ${prefix}`);
}

/** Returns a sentence for each prefix of a setting that the section `s3` says nothing of; folders are left alone. */
export function bucketAdvice(
  setting: string,
  prefixes: readonly string[],
  s3: Pick<S3, 'covers'> | undefined,
): string[] {
  return prefixes
    .filter((prefix) => isS3(prefix) && s3?.covers(prefix) !== true)
    .map((prefix) => `${setting}: no prefix in the section s3 covers ${prefix}, so that no object there is reached`);
}
