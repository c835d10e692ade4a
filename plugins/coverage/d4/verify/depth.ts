/** Finds signs of lost depths: piles at the last value of the dictionary, and holes at the edges of partitions. */
import { depths } from '../profile/profile.js';
import type { Track } from '../track.js';
import type { Finding } from './report.js';

/** Depths of a region, ascending, with their number of bases. */
export type DepthCounts = readonly { depth: number; bases: number }[];

/** A pile has at least this number of bases, and this many times those of the next lower depth. */
const leastPile = 10;
const pileFactor = 3;
/** Fewer bases may have the same depth by chance. */
const leastClear = 100;
/** Where reads begin and end, depths climb: of fewer bases in between than this share, the depth is uniform by nature. */
const leastBetween = 0.01;

/** Bases at the last value of the dictionary. */
export interface Pile {
  bases: number;
  /** Whether only lost or capped depths explain it. */
  isClear: boolean;
}

/**
 * Returns the bases that are piled up at the last value of the dictionary with no greater depth, as when the records of greater
 * depths were lost; undefined if there is no pile. In a valid file the counts decrease gradually, except in amplicons, whose depth begins
 * and ends at one base.
 */
export function pile(counts: DepthCounts, fallback: number, step: number): Pile | undefined {
  const last = counts.at(-1);
  if (!last || last.depth !== fallback || last.depth < step || last.bases < leastPile) return undefined;
  const before = counts.at(-2);
  const below = before && before.depth >= fallback - step ? before.bases : 0;
  if (last.bases <= pileFactor * below) return undefined;
  const zeros = counts.find(({ depth }) => depth === 0)?.bases ?? 0;
  const between = counts.reduce((sum, { bases }) => sum + bases, 0) - zeros - last.bases;
  const isUniform = zeros > 0 && between < leastBetween * last.bases;
  return { bases: last.bases, isClear: last.bases >= leastClear && !isUniform };
}

/** Bases that are checked on each side of a boundary. */
const flank = 200;
/** A depth that does not drop to 0 from one base to the next in a valid file. */
const leastDepth = 5;

/** Finds boundaries between partitions at which a run of depth 0 begins or ends exactly. */
export async function holes(track: Track, signal?: AbortSignal): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [chromosome, { name, size }] of track.chromosomes.entries()) {
    const own = track.secondary?.metadata.byChromosome[chromosome] ?? [];
    const edges = new Set(own.flatMap(({ begin, end }) => [begin, end]));
    for (let edge = boundaryBases; edge < size; edge += boundaryBases) edges.add(edge);
    for (const edge of [...edges].sort((a, b) => a - b)) {
      if (edge < flank || edge > size - flank) continue;
      const interval = { chromosome: name, begin: edge - flank, end: edge + flank };
      const around = await depths(track, interval, { signal });
      const left = around.subarray(0, flank);
      const right = around.subarray(flank);
      const isHole =
        (left.every((depth) => depth === 0) && (right[0] as number) >= leastDepth) ||
        (right.every((depth) => depth === 0) && (left[flank - 1] as number) >= leastDepth);
      if (!isHole) continue;
      const message = `The depth drops to 0 exactly at ${name}:${edge}, a boundary between partitions.`;
      findings.push({ level: 'warn', code: 'hole', message, chromosome: name });
    }
  }
  // One may be chance; several are not.
  return findings.length > 1 ? findings.map((finding) => ({ ...finding, level: 'fail' })) : findings;
}

/** d4tools divides its work at multiples of this, whatever the partitions are. */
const boundaryBases = 10_000_000;
