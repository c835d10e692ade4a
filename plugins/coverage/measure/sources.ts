/** D4 and BED files that requests name: which ones are allowed, how they are opened, and which ones the form offers. */
import {
  type FileList,
  type FileReach,
  type FileTenant,
  filesUnder,
  isUrl,
  type MayUse,
  type OpenFile,
  Places,
} from '../../../core/files.js';
import { ForbiddenHost, guardedFetch, hostList, type Resolve, type S3 } from '../../../core/outgoing.js';
import { Fault, type FaultCode, isFault, type StorageLog } from '../../../core/plugin.js';
import { D4Cache, type D4Error, type D4File, D4Pool, isD4Error } from '../d4/index.js';
import type { CoverageSettings } from '../settings.js';
import { type DepthFiles, FileFault, type Location, locationOfFile, partsOfLocation } from './measure.js';
import { s3Reading } from './s3.js';

/** Chanjo2's sentences, which its clients know. */
const coverageFileSentence = 'Coverage_file_path must be either an existing local file path or a URL';
export const bedFileSentence = 'Provided intervals files is not a valid BED file';

export interface CoverageSources extends DepthFiles {
  /**
   * Resolves a D4 file by its path under a configured directory, its http(s) URL on a configured host or its name in a
   * configured bucket of S3. Throws the same
   * `not-found` fault for everything else. With a track, the file is used as if it had no other; using it throws an
   * `unprocessable` fault if it has no track of this name.
   */
  coverageFile(text: string, track?: string): Promise<Location>;
  /** Opens a file under a configured directory; undefined for everything else. */
  file(text: string): Promise<OpenFile | undefined>;
  /** Opens a BED file under a configured directory. Throws the same `unprocessable` fault for everything else. */
  bedFile(text: string): Promise<OpenFile>;
  /** The D4 files under the configured directories that forms offer, as `coverageFile` takes them. */
  listed(): Promise<FileList>;
  /** Whether a registered file is in reach, by the text of its path or URL: what is not is as if it did not exist. */
  has(text: string): boolean;
  /** Beginnings of the places of files in reach, for the storage: see `Places.begins`. */
  readonly begins: readonly string[] | undefined;
  /** Whether a file that was used earlier is in reach, by the text of its path or URL; it need not exist any more. */
  reaches(text: string): Promise<boolean>;
  /** The path or URL under which the file is registered. Throws the same `not-found` fault as `coverageFile`. */
  registered(text: string): Promise<string>;
  /** The same files, limited to this reach, under the same cache. */
  within(reach: FileReach): CoverageSources;
  /** The same files, as if those that may not be used did not exist: for files that a request names. */
  asking(may: MayUse): CoverageSources;
  /** The number of D4 files that are kept open. */
  open(): number;
  close(): Promise<void>;
}

export interface SourceOptions {
  settings: Pick<CoverageSettings, 'roots' | 'hosts' | 'buckets' | 'files'>;
  /** No object in S3 is reached if omitted. */
  s3?: S3 | undefined;
  /** What belongs to which tenant; nothing if omitted. */
  tenants?: readonly FileTenant[];
  log: Pick<StorageLog, 'warn'>;
  /** Called at each use of a D4 file; `cached` if it was open already. */
  onUse?: (cached: boolean) => void;
  /** For tests: how names of hosts become addresses. */
  resolve?: Resolve;
}

/** Keeps files and worker threads until it is closed. */
export function coverageSources({ settings, s3, tenants = [], log, onUse, resolve }: SourceOptions): CoverageSources {
  const { roots, files } = settings;
  const allowed = hostList(settings.hosts);
  const places = new Places({ roots, allowed, buckets: settings.buckets, s3, tenants });
  const mayFollow = (from: URL, to: URL) => places.mayFollow(from, to);
  const remote = guardedFetch({ allowed, mayFollow, ...(resolve === undefined ? {} : { resolve }) });
  const pool = new D4Pool({ threads: files.threads });
  const cache = new D4Cache({
    sweeper: pool.sweeper,
    openPath: async (path) => (await places.openFound(path))?.fd,
    files: files.open,
    bytes: files.memory,
    ...(onUse === undefined ? {} : { onUse }),
    http: { fetch: remote.fetch, timeout: files.timeout * 1000, attempts: 2 },
    ...(s3 && { s3: s3Reading(s3, files.timeout * 1000) }),
  });

  const open = async <Result>(location: Location, work: (file: D4File) => Promise<Result>): Promise<Result> => {
    const { file: path, track } = partsOfLocation(location);
    const onTrack = track === undefined ? work : (file: D4File) => work(onlyTrack(file, location, track));
    try {
      return await cache.use(path, onTrack);
    } catch (error) {
      // A file that was replaced since it was opened is opened again, once.
      if (isD4Error(error) && error.code === 'changed') return cache.use(path, onTrack);
      throw error;
    }
  };

  const limited = (reach: FileReach, may?: MayUse): CoverageSources => ({
    async coverageFile(text, track) {
      const found = await places.find(text, reach, may);
      if (found === undefined) throw new Fault('not-found', coverageFileSentence);
      return locationOfFile(found, track);
    },
    file: (text) => places.open(text, reach, may),
    async bedFile(text) {
      const found = await places.open(text, reach, may);
      if (found === undefined) throw new Fault('unprocessable', bedFileSentence);
      return found;
    },
    async use(location, work) {
      try {
        return await open(location, work);
      } catch (error) {
        throw faultOf(error, location, log);
      }
    },
    listed: coverageFileList(places.rootsIn(reach), files.listed),
    has: (text) => places.has(text, reach),
    begins: places.begins(reach),
    reaches: (text) => places.reaches(text, reach, may),
    async registered(text) {
      const found = await places.registered(text, reach, may);
      if (found === undefined) throw new Fault('not-found', coverageFileSentence);
      return found;
    },
    within: (other) => limited(other, may),
    asking: (other) => limited(reach, other),
    open: () => cache.size,
    async close() {
      cache.close();
      remote.close();
      await pool.close();
    },
  });
  return limited('everything');
}

function onlyTrack(file: D4File, location: Location, track: string): D4File {
  if (file.tracks.some(({ name }) => name === track)) return file.only(track);
  const names = file.tracks.map(({ name }) => (name === '' ? 'one without a name' : `"${name}"`)).join(', ');
  throw new FileFault(location, 'unprocessable', `The coverage file has no track "${track}"; it has: ${names}`);
}

/** The fault that a client gets for a file that fails: without its path or URL, which may contain a signature. */
function faultOf(error: unknown, location: Location, log: SourceOptions['log']): unknown {
  if (!isD4Error(error)) return error;
  const fault = (code: FaultCode, message: string) =>
    new FileFault(location, code, message, { cause: placeless(error) });
  switch (error.code) {
    case 'not-found':
      return fault('not-found', coverageFileSentence);
    case 'not-d4':
    case 'broken':
    case 'truncated':
      return fault('unprocessable', `The coverage file is not a valid D4 file: ${lowerFirst(error.reason)}`);
    case 'unreachable':
      // If a host refuses the request (because a signature expired, say), the file does not exist for this client.
      // What an object storage refuses is in the log already.
      if (
        !isUrl(location) ||
        error.cause instanceof ForbiddenHost ||
        isFault(error.cause) ||
        / answers 4\d\d$/.test(error.reason)
      ) {
        return fault('not-found', coverageFileSentence);
      }
      log.warn({ reason: error.reason }, 'a coverage file could not be fetched from its host');
      return fault('unavailable', 'The coverage file could not be fetched from its host: try again later');
    case 'failed': {
      const { message } = placeless(error);
      log.warn({ reason: message }, 'coverage could not be read');
      return fault('unavailable', 'The coverage could not be read, because a worker thread failed: try again later');
    }
    case 'changed':
      return fault('unavailable', 'The coverage file is being replaced: try again');
    default:
      return placeless(error);
  }
}

/**
 * The error as it may be logged: without the path or URL, which may contain the name of a patient or a signature. The
 * system error behind it names the path too, so that only its code is kept.
 */
function placeless({ code, reason, cause, stack = '' }: D4Error): Error {
  const { code: system } = (cause ?? {}) as NodeJS.ErrnoException;
  const isNamed = system === undefined || reason.endsWith(`: ${system}`);
  const loggable = new Error(isNamed ? reason : `${reason} (${system})`);
  loggable.name = `D4Error ${code}`;
  const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line));
  loggable.stack = [`${loggable.name}: ${loggable.message}`, ...frames].join('\n');
  return loggable;
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

// The D4 files that the form offers; the directories are read at most every ten seconds.

/** Directory entries that are read for one list. */
const entries = 20_000;
/** Milliseconds for which a list is kept. */
const kept = 10_000;

/** Lists at most `most` files; 0 lists none. Concurrent callers share one read of the directories. */
export function coverageFileList(
  roots: readonly string[],
  most: number,
  clock: () => number = () => performance.now(),
): () => Promise<FileList> {
  if (most === 0) return async () => ({ paths: [], isCut: false });
  let last: { files: Promise<FileList>; until: number } | undefined;
  return () => {
    if (last !== undefined && clock() < last.until) return last.files;
    const files = filesUnder(roots, { ending: '.d4', most, entries });
    const own = { files, until: Number.POSITIVE_INFINITY };
    last = own;
    const keep = (milliseconds: number) => () => {
      own.until = clock() + milliseconds;
    };
    files.then(keep(kept), keep(0));
    return files;
  };
}
