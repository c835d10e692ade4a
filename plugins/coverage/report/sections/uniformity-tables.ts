/**
 * The uniformity of a report's samples (one pass over its distinct bases gives it and the cumulative curve), beside the figures
 * of Picard CollectHsMetrics.
 */
import { isFault } from '../../../../core/plugin.js';
import type { DepthFiles } from '../../measure/measure.js';
import { lengthOfRegions, numberedMembers, RegionColumns } from '../../measure/region.js';
import {
  curveDepths,
  type DepthCurve,
  depthCurve,
  depthHistogram,
  picardDepths,
  type TargetCounts,
  type Uniformity,
  uniformityOfDepths,
} from '../../measure/uniformity.js';
import type { MeasuringServices } from '../../services.js';
import type { Texts } from '../../texts/texts.js';
import { isLeftOut, type Measurement, type ReportData } from '../data.js';
import { wholeFile } from '../form/bed-lines.js';
import { fieldFault, type HsMetrics, hsMetricsField, longestHsMetrics, readHsMetrics } from '../form/fields.js';
import { meanCell, percentCell } from '../targets.js';
import { type Cell, type LazyTable, type PageSection, type PageTable, textCell } from '../view.js';

/** In the order of the samples. */
interface DepthSpread {
  curves: readonly (DepthCurve | undefined)[];
  uniformity: readonly (Uniformity | undefined)[];
}

export async function depthSpread(files: DepthFiles, data: ReportData, signal: AbortSignal): Promise<DepthSpread> {
  const { samples, targets, thresholds, request } = data;
  const means = samples.map(({ depths }) => depths.pooled.mean);
  const depths = curveDepths(means, thresholds, request.level);
  const all = distinctOf(targets, () => true);
  const spreads = await Promise.all(
    samples.map(async (one) => {
      const isCounted = (place: number) => !isLeftOut(data, one, place);
      const distinct = one.copies?.lacksY ? distinctOf(targets, isCounted) : all;
      const histogram = await depthHistogram(files, one.source, { distinct, signal });
      const counts = targetCounts(targets, lengthOfRegions(distinct), one, isCounted);
      return { curve: depthCurve(histogram, depths), uniformity: uniformityOfDepths(histogram, counts) };
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
  for (const [at, { sum }] of numberedMembers(depths.targets)) {
    if (!isCounted(at)) continue;
    counted += 1;
    if (sum === 0) zero += 1;
  }
  if (zero === 0) return { targets: counted, zero: { targets: 0, bases: 0 } };
  const covered = distinctOf(targets, (place) => isCounted(place) && depths.targets.at(place)?.sum !== 0);
  return { targets: counted, zero: { targets: zero, bases: bases - lengthOfRegions(covered) } };
}

export function uniformityTable(
  { samples }: ReportData,
  uniformity: readonly (Uniformity | undefined)[],
  texts: Texts,
): PageTable {
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
          textCell(sample.name),
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
function picardFigures(uniformity: Uniformity | undefined): Readonly<Record<string, number | null>> {
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

// Figures of Picard CollectHsMetrics beside those from depths.

/** By the name of the sample. Throws `unprocessable` if a text or file is not of CollectHsMetrics. */
export async function hsMetricsOf(
  { sources }: Pick<MeasuringServices, 'sources'>,
  { samples, hsMetrics }: ReportData['request'],
): Promise<ReadonlyMap<string, HsMetrics>> {
  const found = new Map<string, HsMetrics>();
  for (const [at, source] of hsMetrics) {
    const sample = samples[at];
    if (sample === undefined) continue;
    const field = hsMetricsField('text' in source ? 'text' : 'path', at + 1);
    const content = 'text' in source ? source.text : await contentOfFile(sources, source.path, field);
    const read = readHsMetrics(content, [sample.name, ...(sample.registration ? [sample.registration.id] : [])]);
    if (typeof read === 'string') throw fieldFault(field, read);
    found.set(sample.name, read);
  }
  return found;
}

/** The same sentence for a file that does not exist and for one that may not be read. */
async function contentOfFile(sources: MeasuringServices['sources'], path: string, field: string): Promise<string> {
  try {
    return (await wholeFile(await sources.bedFile(path), longestHsMetrics)).toString('utf8');
  } catch (error) {
    if (isFault(error) && error.code === 'too-large')
      throw fieldFault(field, 'The file is too large for one of CollectHsMetrics.');
    if (!isFault(error) || error.code !== 'unprocessable') throw error;
    throw fieldFault(field, 'The file does not exist, or is not under a configured directory.');
  }
}

/** The figures that are shown, if the file has them; JSON has all. */
const shownFigures = [
  'BAIT_SET',
  'MEAN_TARGET_COVERAGE',
  'MEDIAN_TARGET_COVERAGE',
  'FOLD_80_BASE_PENALTY',
  'ZERO_CVG_TARGETS_PCT',
  'PCT_TARGET_BASES_10X',
  'PCT_TARGET_BASES_20X',
  'PCT_TARGET_BASES_30X',
  'PCT_TARGET_BASES_100X',
  'PCT_SELECTED_BASES',
  'PCT_OFF_BAIT',
  'FOLD_ENRICHMENT',
  'PCT_EXC_DUPE',
  'PCT_EXC_MAPQ',
  'PCT_EXC_BASEQ',
  'PCT_EXC_OVERLAP',
  'PCT_EXC_OFF_TARGET',
  'HS_LIBRARY_SIZE',
  'HS_PENALTY_20X',
  'AT_DROPOUT',
  'GC_DROPOUT',
];

type Uniformities = readonly (Uniformity | undefined)[];

export function hsMetricsSections(data: ReportData, uniformity: Uniformities, texts: Texts): PageSection[] {
  if (data.hsMetrics === undefined || data.hsMetrics.size === 0) return [];
  const others = [...data.hsMetrics].flatMap(([name, { sample }]) =>
    sample !== undefined && !namesOfSamples(data, name).includes(sample)
      ? [texts.hsMetrics.otherSample(name, sample)]
      : [],
  );
  const note = others.length === 0 ? {} : { note: others.join(' ') };
  return [{ kind: 'table', table: hsMetricsTable(data, uniformity, texts), ...note }];
}

export function hsMetricsTables(data: ReportData, uniformity: Uniformities, texts: Texts): LazyTable[] {
  if (data.hsMetrics === undefined || data.hsMetrics.size === 0) return [];
  return [{ name: 'hs_metrics', make: () => hsMetricsTable(data, uniformity, texts) }];
}

function namesOfSamples({ samples }: ReportData, name: string): string[] {
  const own = samples.find(({ sample }) => sample.name === name)?.sample;
  return [name, ...(own?.registration ? [own.registration.id] : [])];
}

function hsMetricsTable(
  { samples, hsMetrics = new Map() }: ReportData,
  uniformity: Uniformities,
  texts: Texts,
): PageTable {
  const { hsMetrics: words } = texts;
  const own = samples.flatMap(({ sample: { name } }, i) => {
    const file = hsMetrics.get(name);
    return file === undefined ? [] : [{ name, file, figures: picardFigures(uniformity[i]) }];
  });
  const metrics = shownFigures.filter((metric) => own.some(({ file }) => file.values.has(metric)));
  return {
    name: 'hs_metrics',
    title: words.title,
    caption: words.caption,
    columns: [
      { key: 'metric', title: words.metric, weight: 2 },
      ...own.flatMap(({ name }) => [
        { key: `${name}_picard`, title: words.fromPicard(name), numeric: true },
        { key: `${name}_depths`, title: words.fromDepths(name), numeric: true },
      ]),
    ],
    rows: metrics.map((metric): Cell[] => [
      textCell(metric),
      ...own.flatMap(({ file, figures }) => {
        const measured = figures[metric];
        const cell: Cell =
          typeof measured === 'number' ? { text: texts.precise(measured), value: measured } : textCell('–');
        return [textCell(file.values.get(metric) ?? '–'), cell];
      }),
    ]),
  };
}

/** All figures of the file, as it writes them. */
export function hsMetricsData({ hsMetrics }: Pick<ReportData, 'hsMetrics'>, name: string) {
  const file = hsMetrics?.get(name);
  if (file === undefined) return {};
  return { picard_hs_metrics: { sample: file.sample ?? null, values: Object.fromEntries(file.values) } };
}
