/** Opens D4 files: whose bytes come from anywhere, on any platform. */
import { checkObject, checkOptions } from './chromosomes.js';
import { orAbort } from './clock.js';
import { D4Error, refuse } from './error.js';
import { D4File, versionOfSource } from './file.js';
import type { KernelName } from './kernel/kernel.js';
import type { Inflate } from './secondary/records.js';
import { type FileHandle, openBlob, openHandle } from './source/handle.js';
import { type HttpOptions, openHttp } from './source/http.js';
import { dataView, isBuffer, memorySource, readBytes, type Source } from './source/source.js';
import { inlineSweeper, type Sweeper } from './statistics/statistics.js';
import { openTracks } from './track.js';

export interface OpenOptions {
  /** Does long work; by default on this thread, in slices. */
  sweeper?: Sweeper | undefined;
  /** For tests: the kernels to use instead of the best ones. */
  kernel?: KernelName | undefined;
  /** Names bytes, a Blob or a file handle in errors. */
  name?: string | undefined;
  /** How to reach http(s) URLs. */
  http?: HttpOptions | undefined;
  /**
   * How to reach s3:// names: its `fetch` gets s3://bucket/key as text, exactly as it was given (a key may contain #, ? and %, which
   * a URL has encoded), and makes a signed request of it.
   */
  s3?: HttpOptions | undefined;
  /** Bytes of decoded records to keep per track; 16 MiB by default. */
  cacheBytes?: number | undefined;
  /** Ends the opening; the calls on the file take signals of their own. */
  signal?: AbortSignal | undefined;
  /** Versions of files that were complete when they were opened before: their frames are not all followed again. */
  whole?: { get(version: string): true | undefined; set(version: string, whole: true): void } | undefined;
}

/**
 * Where a file is: a path, an http(s) URL or s3:// name, a Blob (as a page gets it from an input element), a file handle, bytes,
 * or a source of one's own.
 */
export type FileLocation = string | URL | Blob | FileHandle | Uint8Array | ArrayBufferLike | Source;

/** What the library needs of the platform that it runs on; it needs nothing else that only Node.js or only browsers have. */
export interface Platform<Options extends OpenOptions> {
  inflate: Inflate;
  /** Opens a local file. Throws D4Error `not-found` or `unreachable`, and `invalid` if there are no local files. */
  openPath(path: string | URL, options: Options): Promise<Source>;
  /** How requests are made unless the caller says otherwise. */
  http?: HttpOptions;
}

/** Returns the platform's `openD4`, which opens a file. Throws D4Error. */
export function openOn<Options extends OpenOptions>(platform: Platform<Options>) {
  return async (location: FileLocation, options = {} as Options): Promise<D4File> => {
    checkOptions(options);
    for (const reach of ['http', 's3'] as const) if (options[reach] !== undefined) checkObject(reach, options[reach]);
    options.signal?.throwIfAborted();
    const source = await sourceOf(platform, location, options);
    try {
      return await openSource(source, platform.inflate, options);
    } catch (error) {
      source.close();
      throw error;
    }
  };
}

async function sourceOf<Options extends OpenOptions>(
  platform: Platform<Options>,
  location: FileLocation,
  options: Options,
): Promise<Source> {
  const { name } = options;
  if (location instanceof Uint8Array) return memorySource(location, name);
  if (isBuffer(location)) return memorySource(new Uint8Array(location), name);
  if (location instanceof Blob) return openBlob(location, name);
  if (typeof location !== 'string' && !(location instanceof URL)) {
    const given = Object(location) as Partial<FileHandle & Source>;
    if (typeof given.read === 'function' && given.stat) return openHandle(location as FileHandle, name, options.signal);
    if (typeof given.fetch === 'function' && given.close) return endingBySignal(location as Source);
    refuse('location', 'a path, a URL, a Blob, a file handle, bytes or a source', location);
  }
  const text = String(location);
  const { signal } = options;
  if (/^https?:\/\//i.test(text)) return openHttp(text, { ...platform.http, ...options.http }, signal);
  if (!text.startsWith('s3://')) return platform.openPath(location, options);
  if (options.s3 === undefined) throw new D4Error('invalid', 'It is not known how to reach S3', text);
  return openHttp(text, { ...platform.http, ...options.s3, singleRanges: true }, signal);
}

/** A source of the caller's own, whose `fetch` may know no signals; all others end by them. */
function endingBySignal(source: Source): Source {
  const { name, local, size, version, remote } = source;
  return {
    ...{ name, size, version, remote },
    ...(local && { local }),
    fetch: (spans, signal) => orAbort(source.fetch(spans, signal), signal),
    check: () => source.check?.(),
    close: () => source.close(),
  };
}

const magic = 0xdddd3464;
/** The header, the root directory and the metadata of most tracks are within this. */
const headAhead = 64 * 1024;

async function openSource(source: Source, inflate: Inflate, options: OpenOptions): Promise<D4File> {
  const notD4 = () => new D4Error('not-d4', 'The bytes do not begin as a D4 file does', source.name);
  const size: unknown = source.size;
  if (!Number.isSafeInteger(size) || source.size < 0) {
    const message = `The stated size of the file is no number of bytes, but ${typeof size} ${String(size)}`;
    throw new D4Error('unreachable', message, source.name);
  }
  if (source.size < 8) throw notD4();
  const { cacheBytes = 16 * 2 ** 20, signal, whole } = options;
  const span = { offset: 0, length: 8, ahead: Math.min(headAhead, source.size) };
  const head = await readBytes(source, span, 'header', signal);
  if (dataView(head).getUint32(0, true) !== magic) throw notD4();
  const version = versionOfSource(source);
  const isKnown = version !== undefined && whole?.get(version) === true;
  const follow = !isKnown && !source.remote;
  const tracks = await openTracks(source, { cacheBytes, follow, inflate, signal });
  source.check?.();
  const isWhole = tracks.every(({ warnings }) => !warnings.some(({ code }) => code === 'lost-records'));
  if (version !== undefined && follow && isWhole) whole?.set(version, true);
  return new D4File(source, tracks, { inflate, sweeper: options.sweeper ?? inlineSweeper(options.kernel) });
}
