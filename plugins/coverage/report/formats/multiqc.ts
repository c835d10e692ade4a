/**
 * The figures of a report's samples as custom content for MultiQC (https://docs.seqera.io/multiqc/custom_content): one table,
 * for a file whose name ends in `_mqc.json`. It names samples and nothing else about people.
 */
import { withoutFormula } from '../../../../core/plugin.js';
import { completeness, percentOfShare } from '../../measure/measure.js';
import { contradicts } from '../../measure/sex.js';
import type { Uniformity } from '../../measure/uniformity.js';
import { en } from '../../texts/texts.js';
import type { Measurement, ReportData } from '../data.js';
import { countedTargets, hasNothing, incompleteCount } from '../pages/report-page.js';
import { panelReference } from '../panel.js';
import { mitochondriaFigures } from '../sections/doses.js';
import { countedFact } from '../sections/header.js';
import { karyotypeFigures } from '../sections/karyotype-tables.js';
import { twoDecimals } from '../targets.js';
import { panelLine } from './delimited.js';
import type { DataParts } from './report-json.js';

/** The ending of the file's name, by which MultiQC finds it. */
export const multiqcEnding = '_mqc.json';

interface MultiqcColumn {
  title: string;
  description: string;
  min?: number;
  max?: number;
  suffix?: string;
  scale: string | false;
  format?: string;
}

/** Tables of the same id in several files become one: those of reports on the same panel, one file for each sample. */
export function multiqcJson(
  data: ReportData,
  { uniformity = [] }: Pick<DataParts, 'uniformity'>,
  { version }: { version: string },
): Record<string, unknown> {
  const { request, thresholds, level, samples } = data;
  const deciding = thresholds[level] as number;
  const { build } = request;
  const panel = data.panel === undefined ? request.panel : panelReference(data.panel);
  const on = data.panel === undefined ? build : `the gene panel ${panelLine(data.panel)}, ${build}`;
  const slug = (panel ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 60);
  const id = `trefoil_coverage${slug === '' ? '' : `_${slug}`}`;
  return {
    id,
    section_name: panel === undefined ? 'Coverage' : `Coverage: ${panel}`,
    description: `Coverage of the intervals of a report on ${on}, by Trefoil ${version}. Counted: ${countedFact(data, en)}. The coverage threshold is ${deciding}x.`,
    plot_type: 'table',
    pconfig: { id: `${id}_table`, title: panel === undefined ? 'Trefoil: Coverage' : `Trefoil: Coverage of ${panel}` },
    headers: headersOf(thresholds, deciding, {
      sex: samples.some(({ sex }) => sex !== undefined),
      uniformity: uniformity.length > 0,
      karyotype: data.karyotypes !== undefined,
    }),
    data: Object.fromEntries(multiqcSamples(data, uniformity)),
  };
}

const percent = { min: 0, max: 100, suffix: '%', scale: 'RdYlGn', format: '{:,.2f}' };
const depth = { min: 0, suffix: 'x', scale: 'Blues', format: '{:,.2f}' };

function headersOf(
  thresholds: readonly number[],
  deciding: number,
  has: { sex: boolean; uniformity: boolean; karyotype: boolean },
): Record<string, MultiqcColumn> {
  return {
    mean_coverage: {
      title: 'Mean depth',
      description: 'Sum of the depths of all distinct bases divided by their number',
      ...depth,
    },
    ...Object.fromEntries(
      thresholds.map((threshold) => [
        `completeness_${threshold}_percent`,
        {
          title: `≥ ${threshold}x`,
          description: `Percentage of the distinct bases with a depth of ${threshold} or more`,
          ...percent,
        },
      ]),
    ),
    fully_covered_percent: {
      title: 'Fully covered',
      description: `Percentage of the intervals in which every base has a depth of ${deciding} or more`,
      ...percent,
    },
    incompletely_covered: {
      title: 'Incomplete',
      description: `Number of intervals with a base below ${deciding}x`,
      min: 0,
      scale: 'Reds',
      format: '{:,.0f}',
    },
    ...(has.uniformity && uniformityHeaders),
    ...(has.sex && {
      predicted_sex: { title: 'Predicted sex', description: 'Predicted from the depths of X and Y', scale: false },
      sex_check: { title: 'Sex check', description: 'Whether it matches the declared sex', scale: false },
    }),
    ...(has.karyotype && karyotypeHeaders),
  };
}

const uniformityHeaders: Record<string, MultiqcColumn> = {
  median_coverage: {
    title: 'Median depth',
    description: 'Median of the depths of the distinct bases',
    ...depth,
  },
  fold_80: {
    title: 'Fold-80',
    description: 'Mean depth divided by the 20th percentile of all distinct bases; none if that is 0',
    min: 1,
    scale: 'OrRd',
    format: '{:,.3f}',
  },
  at_fifth_of_mean_percent: {
    title: '≥ 0.2 × mean',
    description: 'Percentage of the distinct bases with at least a fifth of the mean depth',
    ...percent,
  },
  evenness: {
    title: 'Evenness',
    description: 'Mean of min(depth, mean depth), divided by the mean depth',
    min: 0,
    max: 1,
    scale: 'RdYlGn',
    format: '{:,.3f}',
  },
  zero_coverage_intervals_percent: {
    title: 'Without reads',
    description: 'Percentage of the intervals of which every base has depth 0',
    ...percent,
    scale: 'Reds',
  },
};

const karyotypeHeaders: Record<string, MultiqcColumn> = {
  karyotype: {
    title: 'Karyotype',
    description:
      'The sex chromosomes that the depths fit: an estimate. An aneuploidy reads "not stated" unless it is to be printed',
    scale: false,
  },
  x_copies: { title: 'Copies of X', description: '2 × median X / median autosomes', scale: false, format: '{:,.2f}' },
  mt_copies: {
    title: 'Copies of MT',
    description: 'Mitochondrial copy number: 2 × mean MT / median autosomes; none for captures and capped files',
    min: 0,
    scale: 'Purples',
    format: '{:,.0f}',
  },
  y_copies: { title: 'Copies of Y', description: '2 × median Y / median autosomes', scale: false, format: '{:,.2f}' },
};

/** MultiQC takes no figure that is null. */
function uniformityFigures({ median, fold80, atFifthOfMean, evenness, zeroTargets, targets }: Uniformity) {
  const three = (value: number) => Math.round(value * 1000) / 1000;
  return {
    median_coverage: twoDecimals(median),
    ...(fold80 !== undefined && { fold_80: three(fold80) }),
    at_fifth_of_mean_percent: percentOfShare(atFifthOfMean),
    ...(evenness !== undefined && { evenness: three(evenness) }),
    zero_coverage_intervals_percent: percentOfShare(zeroTargets / targets),
  };
}

/** By the id of a registered sample, else by the name that the request gives; a second sample of one id by its name. */
function* multiqcSamples(
  data: ReportData,
  uniformity: readonly (Uniformity | undefined)[],
): Generator<[string, Record<string, unknown>]> {
  const { samples } = data;
  const used = new Set<string>();
  for (const [i, one] of samples.entries()) {
    const { name, registration } = one.sample;
    const key = registration === undefined || used.has(registration.id) ? name : registration.id;
    used.add(key);
    yield [
      // MultiQC writes the names into tables of its own.
      withoutFormula(key),
      {
        ...(!hasNothing(data, i) && coverageFigures(data, i, uniformity[i])),
        ...sexFigures(one),
        ...karyotypeFigures(data, i),
        ...mitochondriaFigures(data, i),
      },
    ];
  }
}

/** Of a sample that can have one of the targets. */
function coverageFigures(data: ReportData, at: number, uniformity: Uniformity | undefined): Record<string, unknown> {
  const { pooled } = (data.samples[at] as Measurement).depths;
  const [counted, incomplete] = [countedTargets(data, at), incompleteCount(data, at)];
  return {
    mean_coverage: twoDecimals(pooled.mean),
    ...Object.fromEntries(
      data.thresholds.map((threshold, i) => [
        `completeness_${threshold}_percent`,
        percentOfShare(completeness(pooled, i)),
      ]),
    ),
    fully_covered_percent: counted === 0 ? 0 : percentOfShare((counted - incomplete) / counted),
    incompletely_covered: incomplete,
    ...(uniformity && uniformityFigures(uniformity)),
  };
}

function sexFigures({ sample, sex }: Measurement): Record<string, unknown> {
  if (sex === undefined) return {};
  const check = sample.sex === undefined ? {} : { sex_check: contradicts(sex.sex, sample.sex) ? 'mismatch' : 'ok' };
  return { predicted_sex: sex.sex, ...check };
}
