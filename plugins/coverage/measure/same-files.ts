/**
 * Finds samples that were given one file: under one name, or as copies under several. Only contents decide, since times, sizes
 * and headers are often equal in files of different samples, and a copy has a time of its own.
 */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type ByteSpan, RecentlyUsed, type Source, versionOfSource } from '../d4/index.js';
import { type DepthFiles, FileFault, type Location, type Sample } from './measure.js';
import { groupedBy } from './region.js';

/** `whole`: every byte is the same. `parts`: the sizes and all parts that were compared are; the rest was not read. */
export type FileComparison = 'whole' | 'parts';

export interface SameFile {
  /** Names of two samples or more, in the order of the question. */
  samples: readonly string[];
  compared: FileComparison;
}

export interface SameFiles {
  found: readonly SameFile[];
  /** Files that failed while they were compared. */
  failed: ReadonlyMap<Location, FileFault>;
}

export type FindSameFiles = (samples: readonly Sample[], signal?: AbortSignal) => Promise<SameFiles>;

/** Greatest size, in bytes, of files that are read to the end: on this machine, and over the network. */
export interface WholeLimits {
  local: number;
  remote: number;
}

const usualLimits: WholeLimits = { local: 2 ** 30, remote: 2 ** 22 };

/** Versions of files whose digests are remembered. */
const mostKnown = 10_000;

interface FileDescription {
  name: string;
  location: Location;
  size: number;
  track: string;
  version: string;
  isShort: boolean;
}

/**
 * Digests are made only of files of one size: of some parts first and, if these agree, which is rare but for copies, of the
 * whole file. Each is made once for a version of a file.
 */
export function createFindSameFiles(files: DepthFiles, limits: WholeLimits = usualLimits): FindSameFiles {
  const known = new RecentlyUsed<string>(mostKnown);

  const describe = ({ name, location }: Sample): Promise<FileDescription> =>
    files.use(location, async (file) => {
      const { source } = file;
      const { size, remote } = source;
      const isShort = size <= (remote ? limits.remote : limits.local);
      return { name, location, size, track: file.track().name, version: versionOfSource(source) ?? location, isShort };
    });

  const digest = (location: Location, compared: FileComparison, signal: AbortSignal | undefined): Promise<string> =>
    files.use(location, async ({ source }) => {
      const version = versionOfSource(source);
      const key = `${compared} ${version}`;
      const found = (version === undefined ? undefined : known.get(key)) ?? (await digestOf(source, compared, signal));
      if (version !== undefined) known.set(key, found);
      return found;
    });

  return async (samples, signal) => {
    const failed = new Map<Location, FileFault>();
    const noting = async <Value>(location: Location, work: Promise<Value>): Promise<Value | undefined> => {
      try {
        return await work;
      } catch (error) {
        if (!(error instanceof FileFault)) throw error;
        failed.set(location, error);
        return undefined;
      }
    };
    const sameDigests = async (
      group: readonly FileDescription[],
      compared: FileComparison,
    ): Promise<FileDescription[][]> => {
      const digests = new Map<FileDescription, string>();
      for (const one of group) {
        const own = await noting(one.location, digest(one.location, compared, signal));
        if (own !== undefined) digests.set(one, own);
      }
      return groupsBy([...digests.keys()], (one) => digests.get(one) ?? '');
    };
    if (samples.length < 2) return { found: [], failed };
    const described = await Promise.all(samples.map((sample) => noting(sample.location, describe(sample))));
    const found: SameFile[] = [];
    const add = (group: readonly FileDescription[], compared: FileComparison) =>
      void found.push({ samples: group.map(({ name }) => name), compared });
    // Samples in two tracks of one file are two samples.
    const sound = described.filter((one) => one !== undefined);
    for (const alike of groupsBy(sound, ({ size, track }) => `${size} ${track}`)) {
      for (const group of isOneFile(alike) ? [alike] : await sameDigests(alike, 'parts')) {
        if (isOneFile(group)) add(group, 'whole');
        else if (!group.every(({ isShort }) => isShort)) add(group, 'parts');
        else for (const same of await sameDigests(group, 'whole')) add(same, 'whole');
      }
    }
    return { found, failed };
  };
}

function isOneFile(group: readonly FileDescription[]): boolean {
  return new Set(group.map(({ version }) => version)).size === 1;
}

/** Groups of two or more with one key, in the order of their first. */
function groupsBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  return [...groupedBy(items, keyOf).values()].filter(({ length }) => length > 1);
}

/** Parts are evenly spread, with the first and the last bytes among them. */
const parts = 64;
const partBytes = 16 * 1024;
/** Bytes that are read at once. */
const chunkBytes = 2 ** 20;

/** A file that is not longer than its parts is digested whole either way. */
async function digestOf(source: Source, compared: FileComparison, signal: AbortSignal | undefined): Promise<string> {
  const { size } = source;
  const hash = createHash('sha256');
  const read = async (spans: readonly ByteSpan[]) => {
    signal?.throwIfAborted();
    const view = await source.fetch(spans, signal);
    for (const { offset, length } of spans) {
      const bytes = new Uint8Array(length);
      view.copy(bytes, offset);
      hash.update(bytes);
    }
    // Reads of local files are synchronous: others wait no longer than for one.
    await setImmediate();
  };
  if (compared === 'parts' && size > parts * partBytes) {
    const step = (size - partBytes) / (parts - 1);
    await read(Array.from({ length: parts }, (_, i) => ({ offset: Math.floor(i * step), length: partBytes })));
  } else {
    for (let offset = 0; offset < size; offset += chunkBytes) {
      await read([{ offset, length: Math.min(chunkBytes, size - offset) }]);
    }
  }
  return hash.digest('hex');
}
