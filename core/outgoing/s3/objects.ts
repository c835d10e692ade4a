/**
 * Objects under a prefix that the server itself writes, lists and removes. Requests are made again if a connection breaks, or
 * if the storage is too slow or too busy.
 */
import { setTimeout } from 'node:timers/promises';
import { Fault, isFault } from '../../fault.js';
import type { ObjectRequest } from './request.js';

export interface Objects {
  /** Stores an object whole, under a name below the prefix. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Begins an object that arrives in parts: it exists once they are completed. Unless abandoned, parts stay stored. */
  begin(name: string): Promise<string>;
  /** Stores part `number`, from 1, of at least 5 MiB unless it is the last; returns its tag. */
  part(name: string, upload: string, number: number, bytes: Uint8Array): Promise<string>;
  complete(name: string, upload: string, tags: readonly string[]): Promise<void>;
  abandon(name: string, upload: string): Promise<void>;
  /** Whether or not it exists. */
  remove(name: string): Promise<void>;
  list(): AsyncGenerator<{ name: string; written: Date }>;
  /** Objects of which parts are stored. */
  unfinished(): AsyncGenerator<{ name: string; upload: string; begun: Date }>;
}

type RequestObject = (key: string, asking: ObjectRequest) => Promise<Response>;

/** Characters of an answer, of at most a thousand objects. */
const longestAnswer = 8 * 1024 * 1024;

export function objectsUnder(prefix: string, ask: RequestObject): Objects {
  /** The text of the answer; undefined if there is no such object or upload. */
  const asked = (
    key: string,
    asking: ObjectRequest,
    headersOf?: (headers: Headers) => void,
  ): Promise<string | undefined> =>
    retrying('The object storage does not take the request', async (signal) => {
      const response = await ask(key, { ...asking, signal });
      const { status, headers } = response;
      const text = await textOfAnswer(response);
      if (status === 404) return undefined;
      // The end of an upload is announced with 200 before it is known whether it succeeded.
      if (status > 299 || /<Error>/.test(text)) throw new PassingFailure(`it answers ${status}`);
      headersOf?.(headers);
      return text;
    });

  async function* pages(query: Record<string, string>, next: readonly (readonly [string, string])[]) {
    let from: Record<string, string> | undefined = {};
    while (from !== undefined) {
      const page: string = (await asked('', { query: { ...query, ...from, prefix } })) ?? '';
      yield page;
      const found = next.map(([element, parameter]) => [parameter, elements(page, element)[0] ?? '']);
      const goesOn = elements(page, 'IsTruncated')[0] === 'true';
      // Without a mark the first page would come again, and again.
      if (goesOn && found.every(([, mark]) => mark === '')) {
        throw new Fault('unavailable', 'The object storage does not say how its list goes on');
      }
      from = goesOn ? Object.fromEntries(found) : undefined;
    }
  }

  return {
    async put(name, body) {
      await answerOrFault(asked(prefix + name, { method: 'PUT', body }));
    },
    async begin(name) {
      const text = await answerOrFault(asked(prefix + name, { method: 'POST', query: { uploads: '' } }));
      const [upload] = elements(text, 'UploadId');
      if (!upload) throw new Fault('unavailable', 'The object storage begins no upload');
      return upload;
    },
    async part(name, uploadId, number, body) {
      let tag: string | null = null;
      const query = { partNumber: String(number), uploadId };
      await answerOrFault(
        asked(prefix + name, { method: 'PUT', query, body }, (headers) => {
          tag = headers.get('etag');
        }),
      );
      if (tag === null) throw new Fault('unavailable', 'The object storage gives no tag for a part');
      return tag;
    },
    async complete(name, uploadId, tags) {
      const parts = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`);
      const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
      const done = await asked(prefix + name, { method: 'POST', query: { uploadId }, body });
      // Unknown if an earlier attempt completed it, and its answer was lost.
      if (done === undefined) await answerOrFault(asked(prefix + name, { headers: { Range: 'bytes=0-0' } }));
    },
    async abandon(name, uploadId) {
      await asked(prefix + name, { method: 'DELETE', query: { uploadId } });
    },
    async remove(name) {
      await asked(prefix + name, { method: 'DELETE' });
    },
    async *list() {
      for await (const page of pages({ 'list-type': '2' }, [['NextContinuationToken', 'continuation-token']])) {
        for (const object of elements(page, 'Contents')) {
          yield { name: nameIn(object), written: dateIn(object, 'LastModified') };
        }
      }
    },
    async *unfinished() {
      const next = [
        ['NextKeyMarker', 'key-marker'],
        ['NextUploadIdMarker', 'upload-id-marker'],
      ] as const;
      for await (const page of pages({ uploads: '' }, next)) {
        for (const one of elements(page, 'Upload')) {
          const [upload = ''] = elements(one, 'UploadId');
          yield { name: nameIn(one), upload, begun: dateIn(one, 'Initiated') };
        }
      }
    },
  };

  function nameIn(xml: string): string {
    return (elements(xml, 'Key')[0] ?? '').slice(prefix.length);
  }
}

async function answerOrFault(asked: Promise<string | undefined>): Promise<string> {
  const text = await asked;
  if (text === undefined) throw new Fault('unprocessable', 'The object storage does not know the bucket or the upload');
  return text;
}

async function textOfAnswer({ body }: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length > longestAnswer) throw new PassingFailure('it answers more than was asked for');
  }
  return text;
}

/** The contents of the elements of a name, none of which holds another of it: with their entities if they hold elements. */
function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, 'g'))].map(([, content = '']) =>
    content.includes('<') ? content : unescaped(content),
  );
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal));
  });
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

function dateIn(xml: string, element: string): Date {
  return new Date(elements(xml, element)[0] ?? '');
}

// Requests that are made again if a connection breaks, or if the storage is too slow or too busy.

const attempts = 5;
/** Milliseconds before the second attempt; twice that before the next, and so on. */
const firstPause = 200;
/** Milliseconds in which an answer must have arrived. */
const timeout = 120_000;

/** A failure that may pass; its message says what the storage did. */
export class PassingFailure extends Error {}

/**
 * Makes the same request up to five times, after growing, random pauses. Throws an `unavailable` fault that begins with `says`
 * if none succeeds; faults of the request, and the end of `ended`, are thrown at once.
 */
export async function retrying<T>(
  says: string,
  request: (signal: AbortSignal, attempt: number) => Promise<T>,
  ended: AbortSignal = new AbortController().signal,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const slow = AbortSignal.timeout(timeout);
    try {
      return await request(AbortSignal.any([ended, slow]), attempt);
    } catch (cause) {
      ended.throwIfAborted();
      if (isFault(cause)) throw cause;
      if (attempt === attempts) {
        const why =
          cause instanceof PassingFailure ? cause.message : slow.aborted ? 'it is too slow' : 'it cannot be reached';
        throw new Fault('unavailable', `${says}: ${why}`, { cause });
      }
    }
    await setTimeout(firstPause * 2 ** (attempt - 1) * (0.5 + Math.random()), undefined, { signal: ended });
  }
}
