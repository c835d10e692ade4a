/** The stretches below the level as BED: zero-based, end excluded (UCSC, BED format). */

import { gapDepths, targetGaps } from '../report/gaps.js';
import type { Gathered } from '../report/gather.js';
import { Pace } from '../report/pace.js';
import type { CoverageServices } from '../services.js';

/** Six columns of BED, then the gene, transcript, exon, sample, mean and least depth. Ends where nothing is left. */
export async function* gapsBed(
  { measure, sources }: CoverageServices,
  gathered: Gathered,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { samples, request } = gathered;
  yield `# Bases below ${request.level}x on ${request.build}; score: mean depth, 1000 at most\n`;
  yield `${['#chrom', 'start', 'end', 'name', 'score', 'strand', 'gene', 'transcript', 'exon', 'sample', 'mean_depth', 'min_depth'].join('\t')}\n`;
  const pace = new Pace();
  for await (const { target, gaps } of targetGaps(measure, gathered, signal)) {
    for (const [i, measurement] of samples.entries()) {
      const own = gaps[i] ?? [];
      if (own.length === 0) continue;
      await pace.turn();
      let lines = '';
      for (const { chromosome, start, end, mean, min } of await gapDepths(sources, measurement, own, signal)) {
        const [gene, id, sample] = [target.group, target.id, measurement.sample.name].map(word);
        const exon = target.exon === undefined ? '.' : String(target.exon);
        const score = Math.min(1000, Math.round(mean));
        const columns = [
          chromosome,
          start,
          end,
          `${gene}|${id}|${sample}`,
          score,
          '.',
          gene,
          word(target.transcript ?? ''),
          exon,
        ];
        lines += `${[...columns, sample, Math.round(mean * 100) / 100, min].join('\t')}\n`;
      }
      yield lines;
    }
  }
}

/** One column, whatever the text: readers split lines at tabs, some at blanks, too. */
function word(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, '_') || '.';
}
