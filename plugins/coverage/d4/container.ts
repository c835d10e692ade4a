/**
 * The container of the format: streams of frames, which link to each other, directories and JSON headers in them, and the bytes
 * of the file that they name.
 */
import { D4Error, maxHeaderBytes } from './error.js';
import { dataView, inside, int64, joined, readBytes, type Source } from './source/source.js';

/** Bytes of a frame before its payload: the link to the next frame and that one's size. */
export const frameHeader = 16;

/** One link of a stream: where a frame starts in the file, and its size with its header. */
export interface FrameLink {
  at: number;
  size: number;
}

/** Checks that a frame is inside the file and can hold its own header. */
export function checkFrame(source: Source, frame: FrameLink, what: string): void {
  if (!(frame.size >= frameHeader)) {
    const place = `${source.name}: ${what}, frame at byte ${frame.at}`;
    throw new D4Error('broken', `A frame of ${frame.size} bytes cannot hold its header`, place);
  }
  inside(source, { offset: frame.at, length: frame.size }, what);
}

/** Decodes a frame's link. A distance of 0 ends the stream. */
export function nextFrame(header: DataView, frame: FrameLink): FrameLink | undefined {
  const distance = int64(header, 0);
  return distance === 0 ? undefined : { at: frame.at + distance, size: int64(header, 8) };
}

/** What a file is opened with. */
export interface Opening {
  source: Source;
  extents: Extents;
  signal: AbortSignal | undefined;
}

/** Reads a whole stream: its frames' payloads one after the other, up to a limit in bytes. */
export async function readStream(
  { source, extents, signal }: Opening,
  first: FrameLink,
  what: string,
  limit: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  let frame: FrameLink | undefined = first;
  while (frame) {
    checkFrame(source, frame, what);
    extents.claim(frame, what);
    length += frame.size - frameHeader;
    if (length > limit) {
      const place = `${source.name}: ${what}, frame at byte ${frame.at}`;
      throw new D4Error('broken', `${what} is larger than ${limit} bytes`, place);
    }
    const span = { offset: frame.at, length: frame.size, ahead: remoteAhead };
    const bytes = await readBytes(source, span, what, signal);
    parts.push(bytes.subarray(frameHeader));
    frame = nextFrame(dataView(bytes), frame);
  }
  return joined(parts, length);
}

/** The bytes after a frame are usually needed next: directories and headers are spread over the first hundreds of KiB. */
const remoteAhead = 192 * 1024;

// Reads the directories of the format.

type EntryKind = 'stream' | 'directory' | 'blob';

/** One name in a directory. */
export interface DirectoryEntry {
  name: string;
  kind: EntryKind;
  /** Offset in the file, in bytes. */
  at: number;
  /** A stream's first frame, a blob's bytes, or a directory's extent with everything below it. */
  size: number;
}

const kinds: readonly EntryKind[] = ['stream', 'directory', 'blob'];
/** Size of a directory's first frame; the file does not state it. */
export const directoryFrame = 512;
const fixedPart = 18;

/** Reads the directory that starts at a byte of the file. Entries are returned in their order. */
export async function readDirectory(opening: Opening, at: number, what: string): Promise<DirectoryEntry[]> {
  const { source } = opening;
  const bytes = await readStream(opening, { at, size: directoryFrame }, what, maxHeaderBytes);
  const view = dataView(bytes);
  const decoder = new TextDecoder();
  const entries: DirectoryEntry[] = [];
  let p = 0;
  while (p < bytes.length && bytes[p] !== 0) {
    const place = `${source.name}: ${what}, entry ${entries.length}`;
    const kind = kinds[bytes[p + 1] ?? -1];
    if (bytes[p] !== 1 || !kind) throw new D4Error('broken', 'A directory entry is of no known kind', place);
    const end = bytes.indexOf(0, p + fixedPart);
    if (end < 0) throw new D4Error('broken', "A directory entry's name does not end", place);
    entries.push({
      name: decoder.decode(bytes.subarray(p + fixedPart, end)),
      kind,
      at: at + int64(view, p + 2),
      size: int64(view, p + 10),
    });
    p = end + 1;
  }
  // Writers leave zeros there. Entries after the end are entries that were lost.
  for (; p < bytes.length; p++) {
    if (bytes[p] === 0) continue;
    const place = `${source.name}: ${what}, entry ${entries.length}`;
    throw new D4Error('broken', 'A directory goes on after its end', place);
  }
  return entries;
}

// The bytes of a file that its directories and frames name.

/** The bytes of one frame or blob. */
interface ByteExtent {
  at: number;
  size: number;
}

/** Bytes before the root directory. */
const fileHeader = 8;

/**
 * Every byte of a sound file belongs to exactly one frame or blob: all writers append them, without space in between. A damaged
 * offset or size therefore makes two of them overlap, or leaves bytes that belong to none. The format has no checksum, so this is
 * what distinguishes the depths of a table from other bytes of the file.
 */
export class Extents {
  readonly #source: Source;
  readonly #names: string[] = ['the file header'];
  #begins: number[] = [0];
  #ends: number[] = [fileHeader];
  #claimable: number;
  #walkable: number;

  constructor(source: Source) {
    this.#source = source;
    this.#claimable = source.size;
    this.#walkable = source.size;
  }

  /** Records bytes that are named while the file is opened. Throws D4Error `broken` if all of them are more than the file. */
  claim({ at, size }: ByteExtent, what: string): void {
    this.#claimable -= size;
    if (this.#claimable < 0) throw this.#tooLarge(at, what);
    if (size === 0) return;
    this.#begins.push(at);
    this.#ends.push(at + size);
    this.#names.push(what);
  }

  /**
   * Checks that the recorded bytes do not overlap and, if all frames of the file are among them, that they leave none out. Throws
   * D4Error `broken`.
   */
  check(isComplete: boolean): void {
    // Without overlaps, the n-th begin and the n-th end belong together, so that both can be sorted alone, as numbers.
    const begins = Float64Array.from(this.#begins).sort();
    const ends = Float64Array.from(this.#ends).sort();
    for (let i = 1; i < begins.length; i++) if ((begins[i] as number) < (ends[i - 1] as number)) throw this.#overlap();
    if (isComplete) {
      for (let i = 0; i < ends.length; i++) {
        const end = ends[i] as number;
        const next = begins[i + 1] ?? this.#source.size;
        if (next > end)
          throw this.#broken(`Bytes ${end} to ${next} belong to no member of the file's directories`, end);
      }
    }
    this.#names.length = 0;
    this.#begins = this.#source.remote ? Array.from(begins) : [];
    this.#ends = this.#source.remote ? Array.from(ends) : [];
  }

  /**
   * Checks a frame to which another one links, after the file was opened. Throws D4Error `broken` if all of them are more than the
   * file, and, for a remote file (whose frames are not all followed when it is opened), if it overlaps what is known.
   */
  walk({ at, size }: ByteExtent, what: string): void {
    this.#walkable -= size;
    if (this.#walkable < 0) throw this.#tooLarge(at, what);
    if (!this.#source.remote) return;
    const [begins, ends] = [this.#begins, this.#ends];
    let i = 0;
    for (let high = begins.length; i < high; ) {
      const middle = (i + high) >> 1;
      if ((begins[middle] as number) < at) i = middle + 1;
      else high = middle;
    }
    if (begins[i] === at && ends[i] === at + size) return;
    if ((ends[i - 1] ?? 0) > at || (begins[i] ?? Number.POSITIVE_INFINITY) < at + size) {
      throw this.#broken(`${what} overlaps another member of the file`, at);
    }
    begins.splice(i, 0, at);
    ends.splice(i, 0, at + size);
  }

  #overlap(): D4Error {
    const order = this.#begins
      .map((_, i) => i)
      .sort((a, b) => (this.#begins[a] as number) - (this.#begins[b] as number));
    let last = order[0] as number;
    for (const i of order.slice(1)) {
      const begin = this.#begins[i] as number;
      if (begin < (this.#ends[last] as number)) {
        return this.#broken(`${this.#names[last]} and ${this.#names[i]} overlap`, begin);
      }
      last = i;
    }
    return this.#broken('Members overlap', 0);
  }

  #tooLarge(at: number, what: string): D4Error {
    const message = 'Frames overlap or form a cycle: together they are larger than the file';
    return new D4Error('broken', message, `${this.#source.name}: ${what}, frame at byte ${at}`);
  }

  #broken(message: string, at: number): D4Error {
    return new D4Error('broken', message, `${this.#source.name}: byte ${at}`);
  }
}

// Parses JSON headers.

/**
 * Parses a JSON header that is padded with NULs. The reference implementation loses the closing brace of a header that fills
 * its frames exactly, so one missing brace is added.
 */
export function parseHeader(bytes: Uint8Array, place: string): Record<string, unknown> {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  const text = new TextDecoder().decode(bytes.subarray(0, end));
  const value = parse(text) ?? parse(`${text}}`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new D4Error('broken', 'The header is not a JSON object', place);
  }
  return value as Record<string, unknown>;
}

/**
 * Refuses a header that lacks one of its members and has an unknown one: its name was damaged, and what is assumed in its place
 * would be wrong. Throws D4Error `broken`.
 */
export function checkMembers(header: Record<string, unknown>, known: readonly string[], place: string): void {
  const unknown = Object.keys(header).find((name) => !known.includes(name));
  const missing = known.find((name) => !Object.hasOwn(header, name));
  if (unknown === undefined || missing === undefined) return;
  const message = `The header has no member ${JSON.stringify(missing)}, but an unknown one, ${JSON.stringify(unknown)}`;
  throw new D4Error('broken', message, place);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
