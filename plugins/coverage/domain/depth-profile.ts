/** Depth along stretches of a chromosome, in bins: what a plot of a transcript shows. */
import { chromosomeIndex } from '../d4/names.js';
import { bins } from '../d4/profile/profile.js';
import type { DepthFiles, Sample } from './measure.js';

export interface DepthBin {
  start: number;
  end: number;
  mean: number;
  min: number;
}

/** An exon or an intron. */
export interface ProfiledPiece {
  start: number;
  end: number;
  /** Number of bins to divide it into; at most its bases. */
  bins: number;
}

/** The bins of each piece; none if the file lacks the chromosome. Bases beyond its end have depth 0. */
export function depthProfile(
  files: DepthFiles,
  { location }: Sample,
  { chromosome, pieces, signal }: { chromosome: string; pieces: readonly ProfiledPiece[]; signal: AbortSignal },
): Promise<DepthBin[][]> {
  return files.use(location, async (file) => {
    const { chromosomes } = file.track();
    const own = chromosomes[chromosomeIndex(chromosomes, chromosome, true)];
    if (own === undefined) return pieces.map(() => []);
    const parts = pieces.map((piece) => bins({ chromosome: own.name, begin: piece.start, end: piece.end }, piece.bins));
    const { means, min, bases } = await file.columns({ intervals: parts.flat(), range: true, signal });
    let at = 0;
    return parts.map((list) =>
      list.map(({ begin, end }): DepthBin => {
        const i = at++;
        return { start: begin, end, mean: means[i] ?? 0, min: bases[i] ? (min[i] as number) : 0 };
      }),
    );
  });
}
