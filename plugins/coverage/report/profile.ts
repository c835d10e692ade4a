/** Depth along the pieces of a transcript, in as many bins as a drawing can show. */
import { chromosomeIndex } from '../d4/names.js';
import { bins } from '../d4/profile/profile.js';
import type { DepthFiles, Sample } from '../domain/measure.js';
import type { Piece } from '../plots/gene-layout.js';

export interface DepthBin {
  start: number;
  end: number;
  mean: number;
  min: number;
}

/** Width that a bin takes at least, in the drawing's unit. */
const binWidth = 1.5;
const intronBins = 4;

/** Bins of each piece; none where the file has no such chromosome. What lies beyond its end has depth 0. */
export function depthProfile(
  files: DepthFiles,
  { location }: Sample,
  { chromosome, pieces, signal }: { chromosome: string; pieces: readonly Piece[]; signal: AbortSignal },
): Promise<DepthBin[][]> {
  return files.use(location, async (file) => {
    const { chromosomes } = file.track();
    const own = chromosomes[chromosomeIndex(chromosomes, chromosome, true)];
    if (own === undefined) return pieces.map(() => []);
    const parts = pieces.map((piece) =>
      bins({ chromosome: own.name, begin: piece.start, end: piece.end }, countOf(piece)),
    );
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

function countOf({ kind, start, end, x0, x1 }: Piece): number {
  const most = kind === 'intron' ? intronBins : Math.max(1, Math.round(Math.abs(x1 - x0) / binWidth));
  return Math.min(most, end - start);
}
