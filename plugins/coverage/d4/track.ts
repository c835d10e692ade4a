/** Finds the tracks of a file, and opens their primary and secondary tables. */
import { type Entry, readDirectory } from './container/directory.js';
import { FrameBudget, readStream } from './container/frame.js';
import { D4Error } from './error.js';
import { maxDirectoryDepth, maxHeaderBytes, maxTracks } from './limits.js';
import { type Metadata, parseMetadata } from './metadata.js';
import { followStreams } from './secondary/follow.js';
import { type FramesByPartition, parseFrameIndex } from './secondary/frame-index.js';
import { parseSecondaryMetadata } from './secondary/metadata.js';
import { SecondaryTable } from './secondary/table.js';
import { inside, readBytes } from './source/read.js';
import type { Source } from './source/source.js';

/** The tables and headers of a track. */
export interface Track extends Metadata {
  /** Path inside the file; empty in a single-track file. */
  name: string;
  source: Source;
  /** Offset of each chromosome's codes in the file. */
  primary: number[];
  secondary: SecondaryTable | undefined;
  /** Oddities of the file that do not keep it from being read. */
  warnings: TrackWarning[];
}

export interface TrackWarning {
  /** `lost-records`: depths beyond the dictionary are missing; `odd`: harmless. */
  code: 'lost-records' | 'odd';
  /** One sentence for a person. */
  message: string;
}

/** Bytes of a chromosome's codes. */
export function primaryBytes(size: number, width: number): number {
  return Math.ceil((size * width) / 8);
}

/** Bytes to fetch after the start of a secondary table: its directory continues after the first frames of its streams. */
const secondaryAhead = 256 * 1024;

export interface TrackOptions {
  /** Bounds the decoded records that each track keeps. */
  cacheBytes: number;
  /** Whether the frames of all streams are followed to their ends: not if this version of the file is known to be complete. */
  follow: boolean;
}

/** Finds and opens all tracks of a file, depth first. Throws D4Error `truncated` if a member ends after the file. */
export async function openTracks(source: Source, options: TrackOptions): Promise<Track[]> {
  const budget = new FrameBudget(source);
  const tracks: Track[] = [];
  let directories = 0;
  const scan = async (at: number, path: string, depth: number): Promise<void> => {
    const what = path === '' ? 'root directory' : `directory ${path}`;
    if (depth > maxDirectoryDepth || ++directories > maxTracks) {
      throw new D4Error('broken', 'Directories are nested too deeply or too many', `${source.name}: ${what}`);
    }
    const entries = await readDirectory(source, at, what, budget);
    checkExtents(source, entries, path);
    for (const entry of entries) {
      if (entry.kind === 'stream' && entry.name === '.metadata') {
        tracks.push(await openTrack(source, entries, path, budget, options));
        return;
      }
      if (entry.kind === 'directory')
        await scan(entry.at, path === '' ? entry.name : `${path}/${entry.name}`, depth + 1);
    }
  };
  await scan(8, '', 0);
  if (tracks.length === 0) throw new D4Error('broken', 'The file has no track', `${source.name}: root directory`);
  return tracks;
}

/** Checks that all members of a directory are inside the file. A truncated file is detected here, whatever is read of it. */
function checkExtents(source: Source, entries: readonly Entry[], path: string): void {
  for (const { name, at, size } of entries) {
    if (size !== 0) inside(source, { offset: at, length: size }, path === '' ? name : `${path}/${name}`);
  }
}

async function openTrack(
  source: Source,
  entries: readonly Entry[],
  name: string,
  budget: FrameBudget,
  { cacheBytes, follow }: TrackOptions,
): Promise<Track> {
  const within = (table: string) => (name === '' ? table : `${name}/${table}`);
  const find = (table: string, kind: Entry['kind']) => entries.find((e) => e.name === table && e.kind === kind);
  const warnings: TrackWarning[] = [];
  const warn = (code: TrackWarning['code'], message: string) => warnings.push({ code, message });

  const header = find('.metadata', 'stream') as Entry;
  const headerBytes = await readStream(source, header, within('.metadata'), maxHeaderBytes, budget);
  const metadata = parseMetadata(headerBytes, `${source.name}: ${within('.metadata')}`);
  if (metadata.ignoredDenominator !== undefined) {
    warn('odd', `The denominator ${metadata.ignoredDenominator} is unusable and counts as 1.`);
  }

  const { width } = metadata.dictionary;
  const table = find('.ptab', 'blob');
  const expected = metadata.chromosomes.reduce((sum, { size }) => sum + primaryBytes(size, width), 0);
  if (!table || table.size !== expected) {
    const message = `The primary table should have ${expected} bytes and has ${table?.size ?? 'no entry'}`;
    throw new D4Error('broken', message, `${source.name}: ${within('.ptab')}`);
  }
  let at = table.at;
  const primary = metadata.chromosomes.map(({ size }) => {
    const start = at;
    at += primaryBytes(size, width);
    return start;
  });

  const directory = find('.stab', 'directory');
  if (!directory) warn('lost-records', 'The secondary table is missing: depths beyond the dictionary are lost.');
  const secondary = directory && (await openSecondary(directory));
  return { ...metadata, name, source, primary, secondary, warnings };

  async function openSecondary(stab: Entry): Promise<SecondaryTable> {
    const what = within('.stab');
    const head = { offset: stab.at, length: 512, ahead: Math.min(secondaryAhead, source.size - stab.at) };
    inside(source, head, what);
    await source.fetch([head]);
    const members = await readDirectory(source, stab.at, what, budget);
    checkExtents(source, members, what);
    const names = new Map(members.map((entry) => [entry.name, entry]));
    const own = names.get('.metadata');
    if (own?.kind !== 'stream')
      throw new D4Error('broken', 'The secondary table has no header', `${source.name}: ${what}`);
    const bytes = await readStream(source, own, `${what}/.metadata`, maxHeaderBytes, budget);
    const place = `${source.name}: ${what}/.metadata`;
    const secondaryMetadata = parseSecondaryMetadata(bytes, metadata.chromosomes, place);
    const streams = secondaryMetadata.partitions.map(({ ordinal }) => {
      const entry = names.get(String(ordinal));
      return entry?.kind === 'stream' ? entry : undefined;
    });
    const missing = streams.filter((stream) => !stream).length;
    if (missing > 0) warn('lost-records', `The records of ${missing} of ${streams.length} partitions are missing.`);
    const indexed = await readFrameIndex(stab, streams, secondaryMetadata);
    if (follow && !source.remote) {
      const odd = await followStreams(source, streams, what, indexed);
      if (odd !== undefined) warn('lost-records', odd);
    }
    return new SecondaryTable({
      source,
      budget,
      chromosomes: metadata.chromosomes,
      metadata: secondaryMetadata,
      streams,
      cacheBytes,
      // For a local file, following the frames takes microseconds and cannot be wrong.
      frames: source.remote ? indexed : undefined,
    });
  }

  /**
   * The index saves a remote reader round trips. It is fetched if it is near the secondary table, or saves many of them (if
   * streams are as long as chromosomes). A local reader compares the frames with it once.
   */
  async function readFrameIndex(
    stab: Entry,
    streams: readonly (Entry | undefined)[],
    secondaryMetadata: ReturnType<typeof parseSecondaryMetadata>,
  ): Promise<FramesByPartition | undefined> {
    const index = find('.index', 'directory');
    if (!index || !(source.remote || follow)) return undefined;
    const near = Math.abs(index.at - stab.at) < secondaryAhead;
    if (source.remote && !near && streams.length > 2 * metadata.chromosomes.length) return undefined;
    const blobs = await readDirectory(source, index.at, within('.index'), budget);
    checkExtents(source, blobs, within('.index'));
    const blob = blobs.find((entry) => entry.name === 'secondary_frame_index' && entry.kind === 'blob');
    if (!blob || blob.size > maxHeaderBytes) return undefined;
    const bytes = await readBytes(
      source,
      { offset: blob.at, length: blob.size },
      within('.index/secondary_frame_index'),
    );
    const extent = Math.min(stab.size, source.size - stab.at);
    return parseFrameIndex(bytes, { secondary: secondaryMetadata, at: stab.at, extent, streams });
  }
}
