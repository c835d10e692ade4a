/** Depths of the pieces that are read to predict the sex: means, medians of bins, and the mitochondrion. */
import type { D4File } from '../d4/file.js';
import type { Track } from '../d4/track.js';
import { cappedWarning, capThresholds } from './file-warnings.js';
import type { CopyEvidence, MedianDepth } from './karyotype.js';
import { medianOf } from './median.js';
import type { SexPiece } from './sex-places.js';

/** A piece with its sum of depths, and the bases at or above 1 and at or above each threshold of the cap. */
interface ReadPiece extends SexPiece {
  sum: number;
  covered: number;
  caps: readonly number[];
}

export interface BinDepths extends CopyEvidence {
  unit: 'bins';
  /** Fraction of the autosomal bins with depth that has a depth of at least 1: little of it in an exome. */
  breadth: number;
}

export interface Mitochondrion {
  bases: number;
  /** Mean depth. */
  mean: number;
  /** Fraction of its bases with a depth of at least 1. */
  breadth: number;
  isCapped: boolean;
}

export async function readPieces(
  file: D4File,
  pieces: readonly SexPiece[],
  signal: AbortSignal | undefined,
): Promise<ReadPiece[]> {
  const track = file.track();
  const thresholds = [1, ...capThresholds(track)];
  const intervals = pieces.map(({ chromosome, start, end }) => ({ chromosome, begin: start, end }));
  const { sums, counts } = await file.columns({ intervals, thresholds, signal });
  return pieces.map((piece, i) => {
    const [covered = 0, ...caps] = counts.subarray(i * thresholds.length, (i + 1) * thresholds.length);
    return { ...piece, sum: (sums[i] as number) / track.denominator, covered, caps };
  });
}

/** Of all these parts together, the counts that `cappedWarning` needs. */
export function capsOf(read: readonly ReadPiece[], parts: readonly SexPiece['part'][]): number[] {
  const found: number[] = [];
  for (const { part, caps } of read) {
    if (parts.includes(part)) for (const [i, count] of caps.entries()) found[i] = (found[i] ?? 0) + count;
  }
  return found;
}

/** Mean depth, and the fraction of the bases with depth. */
export function shareOf(read: readonly ReadPiece[], part: SexPiece['part']): { mean: number; breadth: number } {
  let [bases, sum, covered] = [0, 0, 0];
  for (const piece of read) {
    if (piece.part !== part) continue;
    bases += piece.end - piece.start;
    sum += piece.sum;
    covered += piece.covered;
  }
  return { mean: bases === 0 ? 0 : sum / bases, breadth: bases === 0 ? 0 : covered / bases };
}

/** Bins without depth are gaps of the assembly, or of an assay; on Y they may be a missing chromosome. */
export function binsOf(read: readonly ReadPiece[]): BinDepths {
  const bins = read.filter(({ isBin, part, sum }) => isBin && (part === 'Y' || sum > 0));
  const of = (part: SexPiece['part']): MedianDepth => {
    const means = bins.flatMap((bin) => (bin.part === part ? [bin.sum / (bin.end - bin.start)] : []));
    return { median: medianOf(means) ?? 0, count: means.length };
  };
  const { breadth } = shareOf(bins, 'autosomes');
  return { unit: 'bins', autosomes: of('autosomes'), x: of('X'), y: of('Y'), breadth };
}

export function mitochondrionOf(track: Track, read: readonly ReadPiece[]): Mitochondrion | undefined {
  const own = read.find(({ part }) => part === 'MT');
  if (own === undefined) return undefined;
  const isCapped = cappedWarning(track, capsOf(read, ['MT'])).length > 0;
  return { bases: own.end - own.start, ...shareOf(read, 'MT'), isCapped };
}
