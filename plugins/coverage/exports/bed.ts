/** The low-coverage regions as BED (zero-based, half-open), with the chromosome names of each sample's file. */
import { withoutFormula } from '../../../core/plugin.js';
import { sentenceOfFailure } from '../domain/examine.js';
import type { DepthFiles } from '../domain/measure.js';
import { Pace } from '../domain/pace.js';
import type { Region } from '../domain/region.js';
import { compareGaps, intervalOfGap } from '../report/comparing.js';
import { countedFact } from '../report/counted.js';
import { gapDepths, gapPortions, type MeasuredGap, type TargetGaps } from '../report/gaps.js';
import { isLeftOut, type ReportData } from '../report/report-data.js';
import { placeNames, type ReportTarget } from '../report/target.js';
import { en } from '../texts/en.js';
import { panelLine } from './panel-columns.js';

const columns = [
  ...['#chrom', 'start', 'end', 'name', 'score', 'strand'],
  ...['gene', 'transcript', 'exon', 'sample', 'mean_depth', 'min_depth', 'coding'],
];

/** After these if a sample is registered: see `gap-finding.ts`. */
const compared = ['kind', 'depth_ratio', 'depth_z'];

/** Six columns of BED, then those of `columns`; a dot stands for what is unknown. The first lines are comments. */
export async function* gapsBed(sources: DepthFiles, data: ReportData, signal: AbortSignal): AsyncGenerator<string> {
  const { samples, request, notIncluded, comparison } = data;
  yield `# Bases below ${request.level}x on ${request.build}; score: mean depth, 1000 at most\n`;
  if (request.type === 'coding') yield `# Bases counted: ${countedFact(data, en)}\n`;
  if (data.panel !== undefined) yield `# Gene panel ${panelLine(data.panel)}\n`;
  for (const one of notIncluded) yield `# Not included: ${sentenceOfFailure(one).replace(/[\s\p{Cc}]+/gu, ' ')}\n`;
  yield `${[...columns, ...(comparison === undefined ? [] : compared)].join('\t')}\n`;
  const pace = new Pace();
  for await (const portion of gapPortions(sources, data, signal)) {
    await compareGaps(data, portion, signal);
    const measured: MeasuredGap[][] = [];
    for (const [i, measurement] of samples.entries()) {
      const gaps = portion.flatMap((one) => gapsOf(data, one, i));
      measured.push(gaps.length === 0 ? [] : await gapDepths(sources, measurement, gaps, signal));
    }
    const written = samples.map(() => 0);
    for (const of of portion) {
      const { target } = of;
      for (const [i, { sample }] of samples.entries()) {
        const own = gapsOf(data, of, i);
        if (own.length === 0) continue;
        const from = written[i] as number;
        written[i] = from + own.length;
        await pace.turn();
        yield linesOf(data, target, sample.name, own, measured[i]?.slice(from, from + own.length) ?? []);
      }
    }
  }
}

/** None of a target that the sample cannot have. */
function gapsOf(data: ReportData, { at, gaps }: TargetGaps, i: number): readonly Region[] {
  const one = data.samples[i];
  return one === undefined || isLeftOut(data, one, at) ? [] : (gaps[i] ?? []);
}

/** `measured` are the gaps as the sample's file has them, in the order of `gaps`. */
function linesOf(
  { comparison }: ReportData,
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
      const finding = comparison?.ofGap(sample, intervalOfGap(target, gaps[i] as Region));
      const kind =
        comparison === undefined ? [] : [finding?.kind, rounded(finding?.depth?.ratio), rounded(finding?.depth?.z)];
      const own = [gene, transcript, word(exon), name, ...depth, word(coding), ...kind.map((one) => one ?? '.')];
      return `${[...bed, ...own].join('\t')}\n`;
    })
    .join('');
}

function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value * 1e4) / 1e4;
}

/** Text as one column: readers split lines at tabs, some also at spaces. */
function word(text: string): string {
  return withoutFormula(text.replace(/[\s\p{Cc}]+/gu, '_')) || '.';
}
