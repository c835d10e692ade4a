/** The bytes of an object, in order, in parts that are requested again if a connection breaks. */
import { Readable } from 'node:stream';
import { Fault } from '../../fault.js';
import { type Source, type Stored, sourceOfStored } from '../../files/source.js';
import { PassingFailure, retrying } from './objects.js';

type GetObject = (text: string, init: RequestInit) => Promise<Response>;

/** Bytes of one request. Two parts are in memory: one that is read, one that arrives. */
const partBytes = 8 * 1024 * 1024;

interface ObjectPart {
  bytes: Buffer;
  size: number;
  etag: string | null;
}

export async function openObject(name: string, get: GetObject): Promise<Source> {
  return sourceOfStored(await storedObject(name, get), name);
}

/** Requests the first part at once. A part of another version than the first ends the reading: versions are never mixed. */
export async function storedObject(name: string, get: GetObject): Promise<Stored> {
  const stop = new AbortController();
  const first = await partAt(name, get, { from: 0, signal: stop.signal });
  return {
    size: first.size,
    open: () => Readable.from(parts(name, get, first, stop), { objectMode: false }),
    close: () => stop.abort(),
  };
}

async function* parts(name: string, get: GetObject, first: ObjectPart, stop: AbortController): AsyncGenerator<Buffer> {
  const { size, etag } = first;
  const next = (from: number) => {
    if (from >= size) return undefined;
    const part = partAt(name, get, { from, signal: stop.signal, expected: { size, etag } });
    // Its error is thrown when its turn comes.
    part.catch(() => undefined);
    return part;
  };
  try {
    let at = first.bytes.length;
    let arriving = next(at);
    yield first.bytes;
    while (arriving !== undefined) {
      const { bytes } = await arriving;
      at += bytes.length;
      arriving = next(at);
      yield bytes;
    }
  } finally {
    stop.abort();
  }
}

interface ObjectRange {
  from: number;
  signal: AbortSignal;
  expected?: Pick<ObjectPart, 'size' | 'etag'>;
}

function partAt(name: string, get: GetObject, wanted: ObjectRange): Promise<ObjectPart> {
  return retrying(
    'The object storage does not deliver the file',
    async (signal) => receivedPart(name, await get(name, { headers: headersOf(wanted), signal }), wanted),
    wanted.signal,
  );
}

function headersOf({ from, expected }: ObjectRange): Record<string, string> {
  return {
    Range: `bytes=${from}-${Math.min(from + partBytes, expected?.size ?? Number.POSITIVE_INFINITY) - 1}`,
    'Accept-Encoding': 'identity',
    ...(expected?.etag && { 'If-Match': expected.etag }),
  };
}

async function receivedPart(name: string, response: Response, { from, expected }: ObjectRange): Promise<ObjectPart> {
  try {
    const { status } = response;
    if (status === 404) throw new Fault('unprocessable', `${name}: no such object`);
    if (status === 416 && expected === undefined) return { bytes: Buffer.alloc(0), size: 0, etag: null };
    if (status === 412 || status === 416) throw replaced(name);
    if (status !== 206) {
      if (status === 200)
        throw new Fault('unprocessable', `${name}: the object storage does not support range requests`);
      throw new PassingFailure(`it answers ${status}`);
    }
    const etag = response.headers.get('etag');
    const [, begin, last, size] = (
      /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? []
    ).map(Number);
    if (begin !== from || last === undefined || size === undefined) throw new PassingFailure('it sends another range');
    if (expected && (expected.etag !== etag || expected.size !== size)) throw replaced(name);
    const bytes = await bodyOf(response);
    if (bytes.length !== last - from + 1) throw new PassingFailure('it sends less than it announced');
    return { bytes, size, etag };
  } finally {
    // What is not read is not wanted.
    if (!response.bodyUsed) await response.body?.cancel();
  }
}

async function bodyOf(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > partBytes) throw new PassingFailure('it sends more than it was asked for');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function replaced(name: string): Fault {
  return new Fault('unprocessable', `${name}: the object was replaced while it was read: load it again`);
}
