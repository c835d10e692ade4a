/** A source that reads an http(s) URL by range requests. */
import { setTimeout } from 'node:timers/promises';
import { D4Error } from '../error.js';
import { BlockCache, type BlockRange, blockBytes, blocksOfRange, joinBlocks, parseByteRanges } from './blocks.js';
import type { ByteSpan, ByteView, Source } from './source.js';

/** Requests one URL; the global `fetch` is one. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export interface HttpOptions {
  /** How requests are made; for example by connections to permitted hosts only, as in all uses by Trefoil. */
  fetch?: Fetch | undefined;
  headers?: Record<string, string> | undefined;
  /** Bytes kept for the next question; 32 MiB by default. */
  cacheBytes?: number | undefined;
  /** Attempts per request, with increasing pauses; 4 by default. */
  attempts?: number | undefined;
  /** Milliseconds that one attempt may take; 30,000 by default. */
  timeout?: number | undefined;
  /** Set if the server sends the whole file for several ranges, as S3 does; else that is found out by a request. */
  singleRanges?: boolean | undefined;
}

/** Bytes of the first request: enough to open most files. */
const headBytes = 64 * 1024;
/** Concurrent requests of one fetch. */
const parallel = 4;
const firstPause = 100;

/** What identifies a version of the file. */
interface HttpVersion {
  size: number;
  etag: string | null;
  modified: string | null;
}

/**
 * A file on an http(s) server, read by range requests of whole blocks through a bounded cache. All spans of one fetch go into
 * one request with several ranges if the server supports that, else into parallel requests. Every response must be of the
 * version that was seen first.
 */
class HttpSource implements Source {
  readonly name: string;
  readonly remote = true;
  readonly #url: string;
  readonly #options: HttpOptions;
  readonly #blocks: BlockCache;
  readonly #pending = new Map<number, Promise<void>>();
  #version: HttpVersion | undefined;
  #manyRanges: boolean;
  #closed = false;

  constructor(url: string, options: HttpOptions) {
    this.#url = url;
    this.name = displayName(url);
    this.#options = options;
    this.#manyRanges = options.singleRanges !== true;
    this.#blocks = new BlockCache(this.name, options.cacheBytes ?? 32 * 2 ** 20);
  }

  get size(): number {
    return this.#version?.size ?? 0;
  }

  get version(): string | undefined {
    return this.#version?.etag ?? this.#version?.modified ?? undefined;
  }

  /** Makes the first request, which also returns size and version. */
  async open(): Promise<void> {
    await this.#request([{ from: 0, to: headBytes / blockBytes }]);
  }

  fetch(spans: readonly ByteSpan[], signal?: AbortSignal): ByteView | Promise<ByteView> {
    if (this.#closed) throw new D4Error('unreachable', 'The file was closed while it was being read', this.name);
    const view = this.#blocks.view(spans);
    return view ?? this.#fetchMissing(spans, signal);
  }

  close(): void {
    this.#closed = true;
    this.#blocks.clear();
  }

  async #fetchMissing(spans: readonly ByteSpan[], signal?: AbortSignal): Promise<ByteView> {
    const needed = new Map<number, Uint8Array>();
    const wanted = new Set<number>();
    const others: Promise<void>[] = [];
    for (const { offset, length, ahead = 0 } of spans) {
      const missing = blocksOfRange(offset, length, this.size).some((b) => !this.#blocks.get(b));
      for (const b of blocksOfRange(offset, missing ? Math.max(length, ahead) : length, this.size)) {
        const block = this.#blocks.get(b);
        const pending = this.#pending.get(b);
        if (block) needed.set(b, block);
        else if (pending) others.push(pending);
        else wanted.add(b);
      }
    }
    const ranges = joinBlocks([...wanted].sort((a, b) => a - b));
    const work = this.#requestAll(ranges, needed, signal);
    for (const { from, to } of ranges) for (let b = from; b < to; b++) this.#pending.set(b, work);
    try {
      await work;
    } finally {
      for (const { from, to } of ranges) for (let b = from; b < to; b++) this.#pending.delete(b);
    }
    // A fetch by another caller may have failed for a reason of its own; then it is repeated here.
    await Promise.allSettled(others);
    signal?.throwIfAborted();
    return this.#blocks.view(spans, needed) ?? this.fetch(spans, signal);
  }

  async #requestAll(ranges: BlockRange[], into: Map<number, Uint8Array>, signal?: AbortSignal): Promise<void> {
    let left = ranges;
    if (left.length > 1 && this.#manyRanges) {
      for (const [b, block] of await this.#request(left, signal)) into.set(b, block);
      left = left.filter(({ from, to }) => {
        for (let b = from; b < to; b++) if (!into.has(b)) return true;
        return false;
      });
      if (left.length > 0) this.#manyRanges = false;
    }
    const queue = left.values();
    const lane = async () => {
      for (const range of queue) {
        const found = await this.#request([range], signal);
        const last = Math.min(range.to, Math.ceil(this.size / blockBytes)) - 1;
        if (!found.has(range.from) || !found.has(last)) {
          throw new D4Error('unreachable', 'The server sends less than was requested', this.name);
        }
        for (const [b, block] of found) into.set(b, block);
      }
    };
    await Promise.all(Array.from({ length: Math.min(parallel, left.length) }, lane));
  }

  /** Requests ranges, and retries if the network or the server fails. */
  async #request(ranges: readonly BlockRange[], signal?: AbortSignal): Promise<Map<number, Uint8Array>> {
    const { attempts = 4 } = this.#options;
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      try {
        return await this.#attempt(ranges, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof D4Error) throw error;
        if (attempt >= attempts) {
          const message = error instanceof Retry ? error.message : 'The server cannot be reached';
          throw new D4Error('unreachable', message, this.name, { cause: error });
        }
      }
      await setTimeout(firstPause * 2 ** (attempt - 1) * (0.5 + Math.random()), undefined, { signal });
    }
  }

  async #attempt(ranges: readonly BlockRange[], signal?: AbortSignal): Promise<Map<number, Uint8Array>> {
    // biome-ignore lint/style/noRestrictedGlobals: the default of a library that can be used by itself
    const { fetch: send = fetch, headers = {}, timeout = 30_000 } = this.#options;
    const limit = AbortSignal.timeout(timeout);
    const end = this.#version?.size ?? Number.POSITIVE_INFINITY;
    const list = ranges.map(({ from, to }) => `${from * blockBytes}-${Math.min(to * blockBytes, end) - 1}`);
    const response = await send(this.#url, {
      headers: {
        ...headers,
        Range: `bytes=${list.join(', ')}`,
        // A compressed response would have other byte positions.
        'Accept-Encoding': 'identity',
        ...(this.#version?.etag && !this.#version.etag.startsWith('W/') && { 'If-Match': this.#version.etag }),
      },
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    try {
      return await this.#answer(response, ranges);
    } finally {
      // An unread body is not needed, and may be a whole file.
      if (!response.bodyUsed) await response.body?.cancel();
    }
  }

  async #answer(response: Response, ranges: readonly BlockRange[]): Promise<Map<number, Uint8Array>> {
    const { status } = response;
    if (status === 404 || status === 410) throw new D4Error('not-found', 'There is no such file', this.name);
    if (status === 412) throw changed(this.name);
    if (status === 408 || status === 429 || status >= 500) throw new Retry(`The server answers ${status}`);
    if (ranges.length > 1 && (status === 200 || status === 416 || status === 400)) return new Map();
    const wanted = ranges.reduce((sum, { from, to }) => sum + (to - from) * blockBytes, 0);
    if (status === 200) {
      // A file smaller than the request may be sent whole; any other whole file means that ranges are not supported.
      const size = Number(response.headers.get('content-length') ?? Number.NaN);
      if (ranges[0]?.from !== 0 || !(size <= wanted)) {
        throw new D4Error('unreachable', 'The server does not support range requests', this.name);
      }
      const bytes = await readBody(response, size);
      this.#check(response, bytes.length);
      return this.#blocks.keep(0, bytes, this.size);
    }
    if (status === 416 && !this.#version) throw new D4Error('not-d4', 'The file is empty', this.name);
    if (status !== 206) throw new D4Error('unreachable', `The server answers ${status}`, this.name);
    const type = response.headers.get('content-type') ?? '';
    if (/^multipart\/byteranges/i.test(type)) {
      // Every part adds a few headers of its own.
      const bytes = await readBody(response, wanted + 1024 * (ranges.length + 1));
      const found = new Map<number, Uint8Array>();
      for (const part of parseByteRanges(bytes, type, this.name)) {
        this.#check(response, part.size);
        for (const [b, block] of this.#blocks.keep(part.offset, part.bytes, this.size)) found.set(b, block);
      }
      return found;
    }
    const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get('content-range') ?? '');
    if (!range) throw new D4Error('unreachable', 'The server does not state which range it sends', this.name);
    const [offset, last, size] = range.slice(1).map(Number) as [number, number, number];
    const bytes = await readBody(response, wanted);
    if (bytes.length !== last - offset + 1) throw new Retry('The server sent less than it announced');
    this.#check(response, size);
    return this.#blocks.keep(offset, bytes, this.size);
  }

  /** A file that is replaced in the middle must be an error, not a mixture of two. */
  #check(response: Response, size: number): void {
    const seen = { size, etag: response.headers.get('etag'), modified: response.headers.get('last-modified') };
    const first = this.#version;
    if (!first) this.#version = seen;
    else {
      // Servers behind one address may send different dates, but not different tags.
      const same = first.etag || seen.etag ? seen.etag === first.etag : seen.modified === first.modified;
      if (!same || seen.size !== first.size) throw changed(this.name);
    }
  }
}

/** A failure that may pass. */
class Retry extends Error {}

function changed(name: string): D4Error {
  return new D4Error('changed', 'The file was replaced while it was being read', name);
}

/** Reads a body of at most `limit` bytes. */
async function readBody(response: Response, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > limit)
      throw new D4Error('unreachable', 'The server sends more than was requested', displayName(response.url));
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}

/** The URL as it may be shown: without credentials and without a query, which may sign the request. */
function displayName(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** Opens a file by its http(s) URL. Throws D4Error `not-found`, `unreachable` or `invalid`. */
export async function openHttp(url: string, options: HttpOptions = {}): Promise<Source> {
  if (!URL.canParse(url)) throw new D4Error('invalid', 'The URL is not valid', url);
  const source = new HttpSource(url, options);
  await source.open();
  return source;
}
