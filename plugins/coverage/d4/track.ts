/** Finds the tracks of a file, opens their primary and secondary tables, and detects a truncated or damaged file. */
import { checkTrack, contigFindings, type ReferenceBuild } from './chromosomes.js';
import { Clock } from './clock.js';
import {
  checkFrame,
  type DirectoryEntry,
  Extents,
  type FrameLink,
  frameHeader,
  nextFrame,
  type Opening,
  readDirectory,
  readStream,
} from './container.js';
import { D4Error, maxDirectoryDepth, maxFollowedFrames, maxHeaderBytes, maxTracks } from './error.js';
import type { D4Finding } from './findings.js';
import { type Metadata, parseMetadata, parseSecondaryMetadata, type SecondaryMetadata } from './metadata.js';
import { type FramesByPartition, type Inflate, parseFrameIndex } from './secondary/records.js';
import { SecondaryTable } from './secondary/table.js';
import { dataView, inside, readBytes, type Source } from './source/source.js';

/** The tables and headers of a track. */
export interface D4Track extends Metadata {
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

/** The findings on a track that need no reading: oddities from when it was opened, and its chromosomes. */
export function quickFindings(track: D4Track, build?: ReferenceBuild): D4Finding[] {
  checkTrack(track);
  const findings: D4Finding[] = track.warnings.map(({ code, message }) => ({
    level: code === 'lost-records' ? 'fail' : 'warn',
    code,
    message,
  }));
  if (build) return [...findings, ...contigFindings(track.chromosomes, build)];
  return findings;
}

/** Bytes of a chromosome's codes. */
export function primaryBytes(size: number, width: number): number {
  return Math.ceil((size * width) / 8);
}

/** Bytes to fetch after the start of a secondary table: its directory continues after the first frames of its streams. */
const secondaryAhead = 256 * 1024;

interface TrackOptions {
  inflate: Inflate;
  /** Bounds the decoded records that each track keeps. */
  cacheBytes: number;
  /** Whether the frames of all streams are followed to their ends: not if this version of the file is known to be complete. */
  follow: boolean;
  signal: AbortSignal | undefined;
}

/** What a track consists of. Only the index may be missing. */
const kinds: Readonly<Record<string, DirectoryEntry['kind']>> = {
  '.metadata': 'stream',
  '.ptab': 'blob',
  '.stab': 'directory',
  '.index': 'directory',
};

/**
 * Finds and opens all tracks of a file, depth first. Throws D4Error `truncated` if a member ends after the file, and `broken` if
 * members overlap or, if all frames are followed, leave bytes of the file out.
 */
export async function openTracks(source: Source, options: TrackOptions): Promise<D4Track[]> {
  const extents = new Extents(source);
  const opening = { source, extents, signal: options.signal };
  const tracks: D4Track[] = [];
  let isFollowed = true;
  let directories = 0;
  const scan = async (at: number, path: string, depth: number): Promise<void> => {
    const what = path === '' ? 'root directory' : `directory ${path}`;
    if (depth > maxDirectoryDepth || ++directories > maxTracks) {
      throw new D4Error('broken', 'Directories are nested too deeply or too many', `${source.name}: ${what}`);
    }
    const entries = await readDirectory(opening, at, what);
    checkExtents(source, entries, path);
    const isTrack = entries.some(({ kind, name }) => kind === 'stream' && name === '.metadata');
    for (const entry of entries) {
      if (entry.kind === 'stream' && entry.name === '.metadata') {
        const opened = await openTrack(opening, entries, path, options);
        tracks.push(opened.track);
        isFollowed &&= opened.isFollowed;
        return;
      }
      if (!isTrack && entry.kind !== 'directory') {
        const message = `${JSON.stringify(entry.name)} is in a directory without a track`;
        throw new D4Error('broken', message, `${source.name}: ${what}`);
      }
      if (entry.kind === 'directory')
        await scan(entry.at, path === '' ? entry.name : `${path}/${entry.name}`, depth + 1);
    }
  };
  await scan(8, '', 0);
  if (options.follow || source.remote) extents.check(options.follow && isFollowed);
  if (tracks.length === 0) throw new D4Error('broken', 'The file has no track', `${source.name}: root directory`);
  return tracks;
}

/** Checks that all members of a directory are inside the file. A truncated file is detected here, whatever is read of it. */
function checkExtents(source: Source, entries: readonly DirectoryEntry[], path: string): void {
  for (const { name, at, size } of entries) {
    if (size !== 0) inside(source, { offset: at, length: size }, path === '' ? name : `${path}/${name}`);
  }
}

/** A track, and whether all of its frames were followed, if they were to be. */
interface OpenedTrack {
  track: D4Track;
  isFollowed: boolean;
}

async function openTrack(
  opening: Opening,
  entries: readonly DirectoryEntry[],
  name: string,
  { cacheBytes, follow, inflate }: TrackOptions,
): Promise<OpenedTrack> {
  const { source, extents, signal } = opening;
  const within = (table: string) => (name === '' ? table : `${name}/${table}`);
  const broken = (message: string, table: string) => new D4Error('broken', message, `${source.name}: ${within(table)}`);
  const members = new Map<string, DirectoryEntry>();
  for (const entry of entries) {
    const kind = kinds[entry.name];
    if (kind !== undefined && kind !== entry.kind) throw broken(`This member cannot be a ${entry.kind}`, entry.name);
    if (kind !== undefined && !members.has(entry.name)) members.set(entry.name, entry);
  }
  const others = entries.filter((entry) => members.get(entry.name) !== entry);
  const warnings: TrackWarning[] = [];
  const warn = (code: TrackWarning['code'], message: string) => warnings.push({ code, message });
  let isFollowed = true;

  const header = members.get('.metadata') as DirectoryEntry;
  const headerBytes = await readStream(opening, header, within('.metadata'), maxHeaderBytes);
  const metadata = parseMetadata(headerBytes, `${source.name}: ${within('.metadata')}`);
  if (metadata.ignoredDenominator !== undefined) {
    warn('odd', `The denominator ${metadata.ignoredDenominator} is unusable and counts as 1.`);
  }

  const { width } = metadata.dictionary;
  const table = members.get('.ptab');
  const expected = metadata.chromosomes.reduce((sum, { size }) => sum + primaryBytes(size, width), 0);
  if (!table || table.size !== expected) {
    throw broken(`The primary table should have ${expected} bytes and has ${table?.size ?? 'no entry'}`, '.ptab');
  }
  extents.claim(table, within('.ptab'));
  let at = table.at;
  const primary = metadata.chromosomes.map(({ size }) => {
    const start = at;
    at += primaryBytes(size, width);
    return start;
  });

  const directory = members.get('.stab');
  const [unknown] = others;
  if (!directory && unknown) {
    throw broken(`The secondary table is missing, but there is an unknown ${JSON.stringify(unknown.name)}`, '.stab');
  }
  if (!directory) warn('lost-records', 'The secondary table is missing: depths beyond the dictionary are lost.');
  const secondary = directory && (await openSecondary(directory));
  if (follow) await claimAll(others, name);
  if (!isFollowed) {
    warn('lost-records', `The records are in more than ${maxFollowedFrames} frames, not all of which were checked.`);
  }
  return { track: { ...metadata, name, source, primary, secondary, warnings }, isFollowed };

  async function openSecondary(stab: DirectoryEntry): Promise<SecondaryTable> {
    const what = within('.stab');
    const head = { offset: stab.at, length: 512, ahead: Math.min(secondaryAhead, source.size - stab.at) };
    inside(source, head, what);
    await source.fetch([head], signal);
    const found = await readDirectory(opening, stab.at, what);
    checkExtents(source, found, what);
    const own = found.find((entry) => entry.name === '.metadata');
    if (own?.kind !== 'stream') throw broken('The secondary table has no header', '.stab');
    const bytes = await readStream(opening, own, `${what}/.metadata`, maxHeaderBytes);
    const place = `${source.name}: ${what}/.metadata`;
    const secondaryMetadata = parseSecondaryMetadata(bytes, metadata.chromosomes, place);
    const streams = streamsOf(found, own, secondaryMetadata.partitions.length);
    const missing = secondaryMetadata.partitions.filter((_, ordinal) => !streams[ordinal]).length;
    if (missing > 0) warn('lost-records', `The records of ${missing} of ${streams.length} partitions are missing.`);
    if (follow) isFollowed = await followStreams(opening, streams, what);
    else for (const [ordinal, stream] of streams.entries()) if (stream) extents.claim(stream, `${what}/${ordinal}`);
    const frames = await readFrameIndex(stab, streams, secondaryMetadata);
    return new SecondaryTable({ source, extents, metadata: secondaryMetadata, streams, cacheBytes, frames, inflate });
  }

  /** The stream of each partition, which is named after its number. */
  function streamsOf(
    found: readonly DirectoryEntry[],
    own: DirectoryEntry,
    partitions: number,
  ): (DirectoryEntry | undefined)[] {
    const streams = new Array<DirectoryEntry | undefined>(partitions).fill(undefined);
    for (const entry of found) {
      if (entry === own) continue;
      const ordinal = Number(entry.name);
      const isPartition = String(ordinal) === entry.name && ordinal in streams && entry.kind === 'stream';
      if (!isPartition || streams[ordinal]) {
        throw broken(`The ${entry.kind} ${JSON.stringify(entry.name)} is not that of a partition`, '.stab');
      }
      streams[ordinal] = entry;
    }
    return streams;
  }

  /**
   * The index saves a remote reader round trips. It is fetched if it is near the secondary table, or saves many of them (if
   * streams are as long as chromosomes). For a local file, following the frames takes microseconds and cannot be wrong.
   */
  async function readFrameIndex(
    stab: DirectoryEntry,
    streams: readonly (DirectoryEntry | undefined)[],
    secondaryMetadata: SecondaryMetadata,
  ): Promise<FramesByPartition | undefined> {
    const index = members.get('.index');
    if (!index) return undefined;
    const near = Math.abs(index.at - stab.at) < secondaryAhead;
    const isUseful = source.remote && (near || streams.length <= 2 * metadata.chromosomes.length);
    if (!isUseful && !follow) return undefined;
    const blobs = await readDirectory(opening, index.at, within('.index'));
    checkExtents(source, blobs, within('.index'));
    if (follow) await claimAll(blobs, within('.index'));
    const blob = blobs.find((entry) => entry.name === 'secondary_frame_index' && entry.kind === 'blob');
    if (!isUseful || !blob || blob.size > maxHeaderBytes) return undefined;
    const place = within('.index/secondary_frame_index');
    const bytes = await readBytes(source, { offset: blob.at, length: blob.size }, place, signal);
    const extent = Math.min(stab.size, source.size - stab.at);
    return parseFrameIndex(bytes, { secondary: secondaryMetadata, at: stab.at, extent, streams });
  }

  /** Claims the bytes of members that are not read. */
  async function claimAll(unread: readonly DirectoryEntry[], path: string, depth = 0): Promise<void> {
    if (depth > maxDirectoryDepth) throw broken('Directories are nested too deeply', path);
    for (const entry of unread) {
      const what = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.kind === 'blob') extents.claim(entry, what);
      else if (entry.kind === 'stream') isFollowed = (await followStreams(opening, [entry], what)) && isFollowed;
      else await claimAll(await readDirectory(opening, entry.at, what), what, depth + 1);
    }
  }
}

// Follows all frames of streams when a file is opened, to detect a truncated or damaged file.

/** The frames of a stream are often near each other: bytes that a remote reader requests together. */
const followAhead = 512 * 1024;

/**
 * Follows the frames of all streams to their ends, reading 16 bytes of each, and claims their bytes. Throws D4Error if one is
 * outside of the file. Returns whether all were followed: not if there are too many.
 */
async function followStreams(
  { source, extents, signal }: Opening,
  streams: readonly (FrameLink | undefined)[],
  what: string,
): Promise<boolean> {
  const clock = new Clock(signal);
  const header = new Uint8Array(frameHeader);
  const view = dataView(header);
  let followed = 0;
  for (const [ordinal, first] of streams.entries()) {
    const name = `${what}/${ordinal}`;
    for (let frame = first; frame; frame = nextFrame(view, frame)) {
      if (++followed > maxFollowedFrames) return false;
      checkFrame(source, frame, name);
      extents.claim(frame, name);
      const ahead = Math.min(followAhead, source.size - frame.at);
      const fetched = source.fetch([{ offset: frame.at, length: frameHeader, ahead }], signal);
      (fetched instanceof Promise ? await fetched : fetched).copy(header, frame.at);
      const pause = clock.tick();
      if (pause) await pause;
    }
  }
  return true;
}
