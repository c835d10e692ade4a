/** Reads all records of a track, which checks its structure. */
import type { Clock } from '../clock.js';
import type { Kernel } from '../kernel/kernel.js';
import { recordBegin } from '../secondary/block.js';
import type { Track } from '../track.js';
import { StretchReader } from '../window.js';

/**
 * Counts the records of each partition, in the order of the list. Reading all of them checks their order and positions, and the
 * codes under them. Throws D4Error.
 */
export async function checkStructure(
  track: Track,
  kernel: Kernel,
  clock: Clock,
  visited?: (bases: number) => void,
): Promise<number[]> {
  const records = track.secondary?.metadata.partitions.map(() => 0) ?? [];
  const reader = new StretchReader(track);
  let done = 0;
  for (const { ordinal, chromosome, begin: from, end: partitionEnd } of track.secondary?.metadata.partitions ?? []) {
    const to = Math.min(partitionEnd, track.chromosomes[chromosome]?.size ?? 0);
    for await (const stretch of reader.stretches({ chromosome, begin: from, end: to })) {
      const { begin, end } = stretch.region;
      stretch.fill(kernel);
      for (const { words, count } of stretch.records) {
        for (let i = 0; i < count; i++) {
          const start = recordBegin(words, i);
          if (start >= begin && start < end) records[ordinal] = (records[ordinal] as number) + 1;
        }
      }
      done += end - begin;
      visited?.(done);
      await clock.tick();
    }
  }
  return records;
}
