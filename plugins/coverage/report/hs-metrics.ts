/** Figures of Picard CollectHsMetrics beside those from depths. */
import { Fault, isFault } from '../../../core/plugin.js';
import type { Uniformity } from '../domain/uniformity.js';
import { hsMetricsField } from '../form/hs-metrics.js';
import type { MeasuringServices } from '../services.js';
import { wholeOf } from '../sources/bed-lines.js';
import { type HsMetrics, longestHsMetrics, readHsMetrics } from '../sources/hs-metrics.js';
import type { Texts } from '../texts/texts.js';
import type { ReportData } from './report-data.js';
import { picardFigures } from './uniformity.js';
import { type Cell, type LazyTable, type Section, type Table, text } from './view.js';

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
    const content = 'text' in source ? source.text : await contentOf(sources, source.path, field);
    const read = readHsMetrics(content, [sample.name, ...(sample.registration ? [sample.registration.id] : [])]);
    if (typeof read === 'string') throw refusal(field, read);
    found.set(sample.name, read);
  }
  return found;
}

function refusal(path: string, message: string): Fault {
  return new Fault('unprocessable', `${path}: ${message}`, { fields: [{ path, message }] });
}

/** The same sentence for a file that does not exist and for one that may not be read. */
async function contentOf(sources: MeasuringServices['sources'], path: string, field: string): Promise<string> {
  try {
    return (await wholeOf(await sources.bedFile(path), longestHsMetrics)).toString('utf8');
  } catch (error) {
    if (isFault(error) && error.code === 'too-large')
      throw refusal(field, 'The file is too large for one of CollectHsMetrics.');
    if (!isFault(error) || error.code !== 'unprocessable') throw error;
    throw refusal(field, 'The file does not exist, or is not under a configured directory.');
  }
}

/** The figures that are shown, if the file has them; JSON has all. */
const shown = [
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

export function hsMetricsSections(data: ReportData, uniformity: Uniformities, texts: Texts): Section[] {
  if (data.hsMetrics === undefined || data.hsMetrics.size === 0) return [];
  const others = [...data.hsMetrics].flatMap(([name, { sample }]) =>
    sample !== undefined && !namesOf(data, name).includes(sample) ? [texts.hsMetrics.otherSample(name, sample)] : [],
  );
  const note = others.length === 0 ? {} : { note: others.join(' ') };
  return [{ kind: 'table', table: hsMetricsTable(data, uniformity, texts), ...note }];
}

export function hsMetricsTables(data: ReportData, uniformity: Uniformities, texts: Texts): LazyTable[] {
  if (data.hsMetrics === undefined || data.hsMetrics.size === 0) return [];
  return [{ name: 'hs_metrics', make: () => hsMetricsTable(data, uniformity, texts) }];
}

function namesOf({ samples }: ReportData, name: string): string[] {
  const own = samples.find(({ sample }) => sample.name === name)?.sample;
  return [name, ...(own?.registration ? [own.registration.id] : [])];
}

function hsMetricsTable({ samples, hsMetrics = new Map() }: ReportData, uniformity: Uniformities, texts: Texts): Table {
  const { hsMetrics: words } = texts;
  const own = samples.flatMap(({ sample: { name } }, i) => {
    const file = hsMetrics.get(name);
    return file === undefined ? [] : [{ name, file, figures: picardFigures(uniformity[i]) }];
  });
  const metrics = shown.filter((metric) => own.some(({ file }) => file.values.has(metric)));
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
      text(metric),
      ...own.flatMap(({ file, figures }) => {
        const measured = figures[metric];
        const cell: Cell =
          typeof measured === 'number' ? { text: texts.precise(measured), value: measured } : text('–');
        return [text(file.values.get(metric) ?? '–'), cell];
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
