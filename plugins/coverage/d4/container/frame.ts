/** Streams of frames: each frame links to the next. The whole format is built of them. */
import { D4Error } from '../error.js';
import { dataView, inside, int64, readBytes } from '../source/read.js';
import type { Source } from '../source/source.js';
import type { Extents } from './extents.js';

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

/** Reads a whole stream: its frames' payloads one after the other, up to a limit in bytes. */
export async function readStream(
  source: Source,
  first: FrameLink,
  what: string,
  limit: number,
  extents: Extents,
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
    const bytes = await readBytes(source, span, what);
    parts.push(bytes.subarray(frameHeader));
    frame = nextFrame(dataView(bytes), frame);
  }
  return Buffer.concat(parts, length);
}

/** The bytes after a frame are usually needed next: directories and headers are spread over the first hundreds of KiB. */
const remoteAhead = 192 * 1024;
