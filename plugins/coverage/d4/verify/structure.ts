import type { Clock } from '../clock.js';
import type { Kernel } from '../kernel/kernel.js';
import { recordBegin, recordLength } from '../secondary/block.js';
import type { Track } from '../track.js';
import { fetchStretch, windowBases, windowStart } from '../window.js';

export interface StructureCheck {
  /** Records of each partition, in the order of the list. */
  records: number[];
  /** Bases under records whose code is not the mask, so that readers ignore the record. */
  hidden: number;
}

/** Reads every record of a track, which checks their order and places, and the codes under them. Throws D4Error. */
export async function checkStructure(
  track: Track,
  kernel: Kernel,
  clock: Clock,
  visited?: (bases: number) => void,
): Promise<StructureCheck> {
  const { width, mask } = track.dictionary;
  const records = track.secondary?.metadata.partitions.map(() => 0) ?? [];
  const reached = new Float64Array(1);
  let hidden = 0;
  let done = 0;
  for (const { ordinal, chromosome, begin: from, end: partitionEnd } of track.secondary?.metadata.partitions ?? []) {
    const to = Math.min(partitionEnd, track.chromosomes[chromosome]?.size ?? 0);
    for (let begin = from; begin < to; begin += windowBases(width)) {
      const end = Math.min(begin + windowBases(width), to);
      const stretch = await fetchStretch(track, chromosome, begin, end, to);
      stretch.fill(kernel);
      for (const { words, count } of stretch.records) {
        for (let i = 0; i < count; i++) {
          const start = recordBegin(words, i);
          const first = Math.max(start, begin);
          const last = Math.min(start + recordLength(words, i), end);
          if (first >= last) continue;
          if (start >= begin) records[ordinal] = (records[ordinal] as number) + 1;
          if (width === 0) continue;
          reached[0] = 0;
          kernel.counts(width, first - windowStart(begin), last - first, [mask], reached, 0);
          hidden += last - first - (reached[0] as number);
        }
      }
      done += end - begin;
      visited?.(done);
      await clock.tick();
    }
  }
  return { records, hidden };
}
