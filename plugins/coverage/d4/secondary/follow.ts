/** Follows all frames of streams when a file is opened, to detect a truncated or damaged file. */
import { Clock } from '../clock.js';
import type { Extents } from '../container/extents.js';
import { checkFrame, type FrameLink, frameHeader, nextFrame } from '../container/frame.js';
import { maxFollowedFrames } from '../limits.js';
import { dataView } from '../source/read.js';
import type { Source } from '../source/source.js';

/** The frames of a stream are often near each other: bytes that a remote reader requests together. */
const followAhead = 512 * 1024;

/**
 * Follows the frames of all streams to their ends, reading 16 bytes of each, and claims their bytes. Throws D4Error if one is
 * outside of the file. Returns whether all were followed: not if there are too many.
 */
export async function followStreams(
  source: Source,
  streams: readonly (FrameLink | undefined)[],
  what: string,
  extents: Extents,
): Promise<boolean> {
  const clock = new Clock();
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
      const fetched = source.fetch([{ offset: frame.at, length: frameHeader, ahead }]);
      (fetched instanceof Promise ? await fetched : fetched).copy(header, frame.at);
      const pause = clock.tick();
      if (pause) await pause;
    }
  }
  return true;
}
