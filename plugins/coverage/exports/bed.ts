/** The regions below the level as BED: zero-based half-open (UCSC, BED format), on each sample file's own names of chromosomes. */

import { sentenceOfFailure } from '../domain/examine.js';
import type { Region } from '../domain/region.js';
import { gapDepths, type MeasuredGap, targetGaps } from '../report/gaps.js';
import { Pace } from '../report/pace.js';
import type { ReportData } from '../report/report-data.js';
import { placeNames, type ReportTarget } from '../report/target.js';
import type { MeasuringServices } from '../services.js';

const columns = [
  ...['#chrom', 'start', 'end', 'name', 'score', 'strand'],
  ...['gene', 'transcript', 'exon', 'sample', 'mean_depth', 'min_depth', 'coding'],
];

/** Six columns of BED, then those of `columns`; what is unknown is a dot. Its first two lines are comments. */
export async function* gapsBed(
  { measure, sources }: MeasuringServices,
  data: ReportData,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { samples, request, notIncluded } = data;
  yield `# Bases below ${request.level}x on ${request.build}; score: mean depth, 1000 at most\n`;
  for (const one of notIncluded) yield `# Not included: ${sentenceOfFailure(one).replace(/[\s\p{Cc}]+/gu, ' ')}\n`;
  yield `${columns.join('\t')}\n`;
  const pace = new Pace();
  for await (const { target, gaps } of targetGaps(measure, data, signal)) {
    for (const [i, measurement] of samples.entries()) {
      const own = gaps[i] ?? [];
      if (own.length === 0) continue;
      await pace.turn();
      yield linesOf(target, measurement.sample.name, own, await gapDepths(sources, measurement, own, signal));
    }
  }
}

/** `measured` are the gaps as the sample's file has them, in the order of `gaps`. */
function linesOf(
  target: ReportTarget,
  sample: string,
  gaps: readonly Region[],
  measured: readonly MeasuredGap[],
): string {
  const [gene, id, name, transcript] = [target.group, target.id, sample, target.transcript ?? ''].map(word);
  const namesOf = placeNames(target);
  return measured
    .map(({ chromosome, start, end, mean, min }, i) => {
      const { exon = '', coding = '' } = namesOf(gaps[i] as Region);
      const score = Math.min(1000, Math.round(mean));
      const bed = [word(chromosome), start, end, `${gene}|${id}|${name}`, score, '.'];
      const depth = [Math.round(mean * 100) / 100, min];
      return `${[...bed, gene, transcript, word(exon), name, ...depth, word(coding)].join('\t')}\n`;
    })
    .join('');
}

/** One column, whatever the text: readers split lines at tabs, some at blanks, too. */
function word(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, '_') || '.';
}
