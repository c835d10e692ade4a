/** The uniformity of a report's samples: one pass over its distinct bases gives it and the cumulative curve. */
import { type DepthCurve, depthCurve } from '../domain/depth-curve.js';
import { depthHistogram } from '../domain/depth-histogram.js';
import { numbered } from '../domain/list.js';
import type { DepthFiles } from '../domain/measure.js';
import { lengthOf } from '../domain/region.js';
import { RegionColumns } from '../domain/region-columns.js';
import { picardDepths, type TargetCounts, type Uniformity, uniformityOf } from '../domain/uniformity.js';
import type { Texts } from '../texts/texts.js';
import { meanCell, percentCell } from './cells.js';
import { isLeftOut, type Measurement, type ReportData } from './report-data.js';
import { type Cell, type Table, text } from './view.js';

/** In the order of the samples. */
export interface DepthSpread {
  curves: readonly (DepthCurve | undefined)[];
  uniformity: readonly (Uniformity | undefined)[];
}

export async function depthSpread(
  files: DepthFiles,
  data: Pick<ReportData, 'samples' | 'targets' | 'placeKinds'>,
  depths: readonly number[],
  signal: AbortSignal,
): Promise<DepthSpread> {
  const { samples, targets } = data;
  const all = distinctOf(targets, () => true);
  const spreads = await Promise.all(
    samples.map(async (one) => {
      const isCounted = (place: number) => !isLeftOut(data, one, place);
      const distinct = one.copies?.lacksY ? distinctOf(targets, isCounted) : all;
      const histogram = await depthHistogram(files, one.source, { distinct, signal });
      const counts = targetCounts(targets, lengthOf(distinct), one, isCounted);
      return { curve: depthCurve(histogram, depths), uniformity: uniformityOf(histogram, counts) };
    }),
  );
  return { curves: spreads.map(({ curve }) => curve), uniformity: spreads.map(({ uniformity }) => uniformity) };
}

function distinctOf(targets: ReportData['targets'], isWanted: (place: number) => boolean): RegionColumns {
  const regions = new RegionColumns(targets.length);
  let place = 0;
  for (const target of targets) if (isWanted(place++)) for (const region of target.regions) regions.push(region);
  return regions.union();
}

/** No depth is negative: a target whose sum is 0 has no reads. */
function targetCounts(
  targets: ReportData['targets'],
  bases: number,
  { depths }: Measurement,
  isCounted: (place: number) => boolean,
): TargetCounts {
  let [counted, zero] = [0, 0];
  for (const [at, { sum }] of numbered(depths.targets)) {
    if (!isCounted(at)) continue;
    counted += 1;
    if (sum === 0) zero += 1;
  }
  if (zero === 0) return { targets: counted, zero: { targets: 0, bases: 0 } };
  const covered = distinctOf(targets, (place) => isCounted(place) && depths.targets.at(place)?.sum !== 0);
  return { targets: counted, zero: { targets: zero, bases: bases - lengthOf(covered) } };
}

export function uniformityTable(
  { samples }: ReportData,
  uniformity: readonly (Uniformity | undefined)[],
  texts: Texts,
): Table {
  const { uniformity: words } = texts;
  const numeric = true;
  return {
    name: 'uniformity',
    title: words.title,
    caption: words.caption,
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.6 },
      { key: 'median_coverage', title: words.median, numeric },
      { key: 'max_coverage', title: words.max, numeric },
      { key: 'fold_80', title: words.fold80, numeric },
      { key: 'fold_80_nonzero', title: words.fold80Nonzero, numeric, weight: 1.2 },
      { key: 'at_fifth_of_mean_percent', title: words.atFifthOfMean, numeric },
      { key: 'evenness', title: words.evenness, numeric },
      { key: 'cqv_of_median', title: words.cqvOfMedian, numeric },
      { key: 'cqv', title: words.cqv, numeric },
      { key: 'zero_coverage_intervals_percent', title: words.zeroTargets, numeric, weight: 1.2 },
    ],
    rows: samples.flatMap(({ sample }, i): Cell[][] => {
      const own = uniformity[i];
      if (own === undefined) return [];
      return [
        [
          text(sample.name),
          meanCell(own.median, texts),
          meanCell(own.max, texts),
          factorCell(own.fold80, texts),
          factorCell(own.fold80Nonzero, texts),
          percentCell(own.atFifthOfMean, texts),
          factorCell(own.evenness, texts),
          factorCell(own.cqvOfMedian, texts),
          factorCell(own.cqv, texts),
          percentCell(own.zeroTargets / own.targets, texts),
        ],
      ];
    }),
  };
}

/** With three decimals; not stated if its divisor is 0. */
function factorCell(value: number | undefined, texts: Texts): Cell {
  if (value === undefined) return { text: '–', value: '' };
  return { text: texts.precise(value), value: Math.round(value * 1000) / 1000 };
}

/** The formulas, as items of the explanations. */
export function uniformityTerms({ uniformity }: Texts): (readonly [string, string])[] {
  const { terms, fold80, fold80Nonzero, atFifthOfMean, evenness, cqvOfMedian, cqv, zeroTargets } = uniformity;
  return [
    [uniformity.title, terms.all],
    [fold80, terms.fold80],
    [fold80Nonzero, terms.fold80Nonzero],
    [atFifthOfMean, terms.atFifthOfMean],
    [evenness, terms.evenness],
    [`${cqvOfMedian}; ${cqv}`, terms.cqv],
    [zeroTargets, terms.zeroTargets],
  ];
}

/** Picard's names of figures of the same formula. */
export function picardFigures(uniformity: Uniformity | undefined): Readonly<Record<string, number | null>> {
  if (uniformity === undefined) return {};
  const { mean, median, max, fold80, targets, zeroTargets, atDepth } = uniformity;
  return {
    MEAN_TARGET_COVERAGE: mean,
    MEDIAN_TARGET_COVERAGE: median,
    MAX_TARGET_COVERAGE: max,
    FOLD_80_BASE_PENALTY: fold80 ?? null,
    ZERO_CVG_TARGETS_PCT: zeroTargets / targets,
    ...Object.fromEntries(picardDepths.map((depth, i) => [`PCT_TARGET_BASES_${depth}X`, atDepth[i] ?? 0])),
  };
}

/** Nothing rounded. The names of Picard are used for figures of the same formula, and as there percentages are fractions. */
export function uniformityData(uniformity: Uniformity | undefined) {
  if (uniformity === undefined) return {};
  const { fold80, quartiles, zeroTargets } = uniformity;
  return {
    uniformity: {
      fold_80: fold80 ?? null,
      fold_80_nonzero: uniformity.fold80Nonzero ?? null,
      percentile_20: uniformity.percentile20,
      at_fifth_of_mean: uniformity.atFifthOfMean,
      evenness: uniformity.evenness ?? null,
      quartiles,
      cqv_of_median: uniformity.cqvOfMedian ?? null,
      cqv: uniformity.cqv ?? null,
      zero_coverage_intervals: zeroTargets,
      picard_names: picardFigures(uniformity),
    },
  };
}
