/** Follows all frames of the secondary table when a file is opened, to detect a truncated file. */
import { Clock } from '../clock.js';
import { checkFrame, FrameBudget, type FrameLink, frameHeader, nextFrame } from '../container/frame.js';
import { maxFollowedFrames } from '../limits.js';
import { dataView } from '../source/read.js';
import type { Source } from '../source/source.js';
import type { FramesByPartition } from './frame-index.js';

/**
 * Follows the frames of all streams to their ends, reading 16 bytes of each. Throws D4Error if one is outside the file. Returns
 * a sentence if the streams lack frames that the index names (as in a file that ends in zeros), or there are too many frames.
 */
export async function followStreams(
  source: Source,
  streams: readonly (FrameLink | undefined)[],
  what: string,
  indexed: FramesByPartition | undefined,
): Promise<string | undefined> {
  const budget = new FrameBudget(source);
  const clock = new Clock();
  const header = new Uint8Array(frameHeader);
  const view = dataView(header);
  let followed = 0;
  let lacking = 0;
  for (const [ordinal, first] of streams.entries()) {
    const found = new Map<number, number>();
    for (let frame = first; frame; frame = nextFrame(view, frame)) {
      if (++followed > maxFollowedFrames)
        return `The records are in more than ${maxFollowedFrames} frames, not all of which were checked.`;
      checkFrame(source, frame, `${what}/${ordinal}`);
      budget.spend(frame, `${what}/${ordinal}`);
      if (indexed) found.set(frame.at, frame.size);
      const view = source.fetch([{ offset: frame.at, length: frameHeader }]);
      (view instanceof Promise ? await view : view).copy(header, frame.at);
      const pause = clock.tick();
      if (pause) await pause;
    }
    lacking += (indexed?.[ordinal] ?? []).filter(({ at, size }) => found.get(at) !== size).length;
  }
  return lacking === 0 ? undefined : `The streams of records lack ${lacking} frames that the file's own index names.`;
}
