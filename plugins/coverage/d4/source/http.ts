/** A source that reads an http(s) URL by range requests. */
import { orAbort } from '../clock.js';
import { D4Error } from '../error.js';
import { type BlockRange, BlockSource, blockBytes } from './blocks.js';
import { joined, type Source } from './source.js';

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
  /**
   * Set to send only what a browser sends to a server of another origin without asking it first: one range a request, and no
   * condition. What browsers use by default.
   */
  unasked?: boolean | undefined;
}

/** Bytes of the first request: enough to open most files. */
const headBytes = 64 * 1024;
const firstPause = 100;
const usualAttempts = 4;
const usualTimeout = 30_000;
/** Timers cannot wait longer. */
const longestTimeout = 2 ** 31 - 1;

/** What identifies a version of the file. */
interface HttpVersion {
  size: number;
  etag: string | null;
  modified: string | null;
}

/**
 * A file on an http(s) server, read by range requests. All spans of one fetch go into one request with several ranges if the
 * server supports that, else into parallel requests. Every response must be of the version that was seen first.
 */
class HttpSource extends BlockSource {
  readonly #url: string;
  readonly #options: HttpOptions;
  #version: HttpVersion | undefined;
  #manyRanges: boolean;

  constructor(url: string, options: HttpOptions) {
    super(displayName(url), options.cacheBytes);
    this.#url = url;
    this.#options = options;
    this.#manyRanges = options.singleRanges !== true && options.unasked !== true;
  }

  get size(): number {
    return this.#version?.size ?? 0;
  }

  get version(): string | undefined {
    return this.#version?.etag ?? this.#version?.modified ?? undefined;
  }

  /** Makes the first request, which also returns size and version. */
  async open(signal?: AbortSignal): Promise<void> {
    await this.#request([{ from: 0, to: headBytes / blockBytes }], signal);
  }

  protected override async requestAll(
    ranges: readonly BlockRange[],
    into: Map<number, Uint8Array>,
    signal?: AbortSignal,
  ): Promise<void> {
    let left = ranges;
    if (left.length > 1 && this.#manyRanges) {
      for (const [b, block] of await this.#request(left, signal)) into.set(b, block);
      left = left.filter(({ from, to }) => {
        for (let b = from; b < to; b++) if (!into.has(b)) return true;
        return false;
      });
      if (left.length > 0) this.#manyRanges = false;
    }
    await super.requestAll(left, into, signal);
  }

  protected override async request(range: BlockRange, signal?: AbortSignal): Promise<Map<number, Uint8Array>> {
    const found = await this.#request([range], signal);
    const last = Math.min(range.to, Math.ceil(this.size / blockBytes)) - 1;
    if (!found.has(range.from) || !found.has(last)) {
      throw new D4Error('unreachable', 'The server sends less than was requested', this.name);
    }
    return found;
  }

  /** Requests ranges, and retries if the network or the server fails. */
  async #request(ranges: readonly BlockRange[], signal?: AbortSignal): Promise<Map<number, Uint8Array>> {
    const { attempts = usualAttempts, timeout = usualTimeout } = this.#options;
    const longest = Math.min(timeout, longestTimeout);
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const limit = AbortSignal.timeout(longest);
      const stop = signal ? AbortSignal.any([signal, limit]) : limit;
      let after = 0;
      try {
        return await orAbort(this.#attempt(ranges, stop), stop);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof D4Error) throw error;
        let message = `The server cannot be reached: ${causeOf(error)}`;
        if (limit.aborted) message = `The server did not respond within ${timeout} ms`;
        else if (error instanceof Retry) ({ message, after } = error);
        if (after > longest) message += `, and asks to wait ${after / 1000} s`;
        if (attempt >= attempts || after > longest)
          throw new D4Error('unreachable', message, this.name, { cause: error });
      }
      await pause(Math.max(after, firstPause * 2 ** (attempt - 1) * (0.5 + Math.random())), signal);
    }
  }

  async #attempt(ranges: readonly BlockRange[], signal: AbortSignal): Promise<Map<number, Uint8Array>> {
    // biome-ignore lint/style/noRestrictedGlobals: the default of a library that can be used by itself
    const { fetch: send = fetch, headers = {}, unasked } = this.#options;
    const end = this.#version?.size ?? Number.POSITIVE_INFINITY;
    const list = ranges.map(({ from, to }) => `${from * blockBytes}-${Math.min(to * blockBytes, end) - 1}`);
    // `fetch` adds `Accept-Encoding: identity` to a range; a second one would make a signature of the headers invalid.
    const response = await send(this.#url, {
      headers: {
        ...headers,
        Range: `bytes=${list.join(', ')}`,
        ...(!unasked &&
          this.#version?.etag &&
          !this.#version.etag.startsWith('W/') && { 'If-Match': this.#version.etag }),
      },
      signal,
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
    if (status === 408 || status === 429 || status >= 500) {
      throw new Retry(`The server answers ${status}`, retryAfter(response.headers));
    }
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
      return this.blocks.keep(0, bytes, this.size);
    }
    const isEmpty = !/\/[1-9]/.test(response.headers.get('content-range') ?? '');
    if (status === 416 && !this.#version && isEmpty) throw new D4Error('not-d4', 'The file is empty', this.name);
    if (status !== 206) throw new D4Error('unreachable', `The server answers ${status}`, this.name);
    const type = response.headers.get('content-type') ?? '';
    if (/^multipart\/byteranges/i.test(type)) {
      // Every part adds a few headers of its own.
      const bytes = await readBody(response, wanted + 1024 * (ranges.length + 1));
      const found = new Map<number, Uint8Array>();
      for (const part of parseByteRanges(bytes, type, this.name)) {
        this.#check(response, part.size);
        for (const [b, block] of this.blocks.keep(part.offset, part.bytes, this.size)) found.set(b, block);
      }
      return found;
    }
    const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get('content-range') ?? '');
    if (!range) throw new D4Error('unreachable', 'The server does not state which range it sends', this.name);
    const [offset, last, size] = range.slice(1).map(Number) as [number, number, number];
    const bytes = await readBody(response, wanted);
    if (bytes.length !== last - offset + 1) throw new Retry('The server sent less than it announced');
    this.#check(response, size);
    return this.blocks.keep(offset, bytes, this.size);
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
class Retry extends Error {
  /** Milliseconds after which the server wants to be asked again. */
  readonly after: number;

  constructor(message: string, after = 0) {
    super(message);
    this.after = after;
  }
}

/** Milliseconds that a server asks to wait (RFC 9110, 10.2.3): seconds, or a date, by the clock of the server if it is stated. */
function retryAfter(headers: Headers): number {
  const stated = headers.get('retry-after') ?? '';
  const seconds = Number(stated);
  if (seconds >= 0) return seconds * 1000;
  const now = Date.parse(headers.get('date') ?? '');
  // Two of the three forms of a date end with GMT, and the third one means it.
  const then = Date.parse(stated.endsWith('GMT') ? stated : `${stated} GMT`);
  const wait = then - (Number.isNaN(now) ? Date.now() : now);
  return wait > 0 ? wait : 0;
}

/** Waits for some milliseconds. Rejects with the signal's reason if it aborts before. */
function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

function changed(name: string): D4Error {
  return new D4Error('changed', 'The file was replaced while it was being read', name);
}

/** Reads a body of at most `limit` bytes. */
async function readBody(response: Response, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  // Not all browsers iterate over a body.
  const reader = response.body?.getReader();
  const next = async () => {
    try {
      return await reader?.read();
    } catch (error) {
      throw new Retry(`The response ends early: ${causeOf(error)}`);
    }
  };
  for (let part = await next(); part?.value; part = await next()) {
    length += part.value.length;
    if (length > limit) {
      await reader?.cancel();
      throw new D4Error('unreachable', 'The server sends more than was requested', displayName(response.url));
    }
    parts.push(part.value);
  }
  return joined(parts, length);
}

/** A location as it may be shown: of a URL neither credentials nor the query, which may sign the request. */
export function displayName(location: string): string {
  if (!/^https?:/i.test(location) || !URL.canParse(location)) return location;
  const { protocol, host, pathname } = new URL(location);
  return `${protocol}//${host}${pathname}`;
}

/** What a failure was caused by at first, for a sentence that may be logged: a code, since texts of systems name hosts and paths. */
export function causeOf(failure: unknown): string {
  let first = failure as { cause?: unknown; message?: unknown; code?: unknown } | undefined | null;
  for (let left = 8; first?.cause && left > 0; left--) first = first.cause as typeof first;
  const text = String(first?.code || first?.message || first);
  return text.replace(/https?:\/\/[^\s"')]+/gi, displayName);
}

/** Opens a file by its http(s) URL. Throws D4Error `not-found`, `unreachable` or `invalid`. */
export async function openHttp(url: string, options: HttpOptions = {}, signal?: AbortSignal): Promise<Source> {
  if (!URL.canParse(url)) throw new D4Error('invalid', 'The URL is not valid', url);
  const wrong = faultOf(url, options);
  if (wrong !== undefined) throw new D4Error('invalid', wrong, displayName(url));
  const source = new HttpSource(url, options);
  await source.open(signal);
  return source;
}

/** What keeps each request from being sent. */
function faultOf(url: string, options: HttpOptions): string | undefined {
  const { fetch: send, headers, attempts = usualAttempts, timeout = usualTimeout } = options;
  if (send !== undefined && typeof send !== 'function') return 'The option fetch must be a function';
  if (!(attempts >= 1)) return `There must be at least one attempt, not ${attempts}`;
  if (!(timeout > 0)) return `A timeout must be a positive number of milliseconds, not ${timeout}`;
  const { username, password } = new URL(url);
  if (!send && (username || password)) return 'A URL with credentials is not requested: send a header Authorization';
  try {
    new Headers(headers);
    return undefined;
  } catch {
    return 'A header has a name or a value that cannot be sent';
  }
}

// Parses responses with several byte ranges.

/** One part of a multipart/byteranges response (RFC 9110, 14.6). */
interface BytePart {
  offset: number;
  bytes: Uint8Array;
  /** Bytes of the whole file. */
  size: number;
}

/** Parses a multipart/byteranges body. Each part states its length, so that its contents are never searched. */
function parseByteRanges(bytes: Uint8Array, contentType: string, place: string): BytePart[] {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  if (!boundary) throw new D4Error('unreachable', 'The server sends several ranges without a boundary', place);
  const delimiter = `--${boundary[1] ?? boundary[2]}`;
  const decoder = new TextDecoder('latin1');
  const parts: BytePart[] = [];
  let at = indexOfText(bytes, delimiter, 0);
  while (at >= 0) {
    const afterDelimiter = at + delimiter.length;
    if (decoder.decode(bytes.subarray(afterDelimiter, afterDelimiter + 2)) === '--') return parts;
    const end = indexOfText(bytes, '\r\n\r\n', afterDelimiter);
    const head = end < 0 ? '' : decoder.decode(bytes.subarray(afterDelimiter, end));
    const range = /^content-range:\s*bytes (\d+)-(\d+)\/(\d+)\s*$/im.exec(head);
    if (!range) break;
    const [offset, last, size] = range.slice(1).map(Number) as [number, number, number];
    const from = end + 4;
    const to = from + last - offset + 1;
    if (last < offset || to > bytes.length) break;
    parts.push({ offset, bytes: bytes.subarray(from, to), size });
    at = indexOfText(bytes, delimiter, to);
  }
  throw new D4Error('unreachable', 'The server sends several ranges in a form that cannot be read', place);
}

/** Where a text of ASCII characters begins in bytes, from an index on; −1 if it does not occur. */
function indexOfText(bytes: Uint8Array, text: string, from: number): number {
  const wanted = new TextEncoder().encode(text);
  const isAt = (at: number) => wanted.every((byte, i) => bytes[at + i] === byte);
  let at = bytes.indexOf(wanted[0] as number, from);
  while (at >= 0 && !isAt(at)) at = bytes.indexOf(wanted[0] as number, at + 1);
  return at;
}
