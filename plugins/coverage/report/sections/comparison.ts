/** Compares the registered samples of a report with their cohorts, and shows the control charts of their runs. */
import { Comparison, type TargetGroup } from '../../cohorts/compare.js';
import { chartPlaces, type Drift, driftP, hasDrifted, type RunChart } from '../../cohorts/runs.js';
import type { Region } from '../../measure/region.js';
import type { MeasuringServices } from '../../services.js';
import type { Texts } from '../../texts/texts.js';
import { isIncomplete, isLeftOut, type Measurement, type ReportData } from '../data.js';
import { mostRuns, runsDrawing } from '../plots/run-chart.js';
import { countCell, isCoding, percentCell, type ReportTarget } from '../targets.js';
import { type Cell, type PageSection, type PageTable, textCell } from '../view.js';
import type { IncompleteGenes } from './incomplete-genes.js';
import type { GapColumns } from './target-gaps.js';

/** Which targets are compared: those of an export of gaps are compared gap by gap. */
export type ComparedTargets = 'all' | 'incomplete' | 'none';

/** The name of the group of all targets; no gene has it. */
const wholePanel = '';
/** The same without what a sample without Y cannot have. */
const withoutY = ' without Y';

/** The group of the targets that the totals of a sample are of. */
export function panelGroup(one: Measurement | undefined): string {
  return one?.copies?.lacksY ? withoutY : wholePanel;
}

/** Undefined if no sample is registered, or if the targets are lines of a BED file, of which no values are stored. */
export async function comparisonOf(
  services: Pick<MeasuringServices, 'cohorts' | 'members' | 'shared'>,
  data: ReportData,
  which: ComparedTargets,
  genes: IncompleteGenes | undefined,
  signal: AbortSignal,
): Promise<Comparison | undefined> {
  const { request, level } = data;
  const samples = data.samples.flatMap(({ sample: { name, registration }, depths, fingerprint }) => {
    if (registration === undefined) return [];
    const isSameFile = fingerprint === registration.fingerprint;
    return [{ name, id: registration.id, isSameFile, depths: depths.targets }];
  });
  if (samples.length === 0 || request.type === 'custom_intervals') return undefined;
  const places: number[] = [];
  for (let at = 0; at < data.targets.length && which !== 'none'; at++) {
    if (which === 'all' || isIncomplete(data, at)) places.push(at);
  }
  const question = {
    build: request.build,
    threshold: request.level,
    level,
    samples,
    members: await services.members(request.build, signal),
    shared: await services.shared(request.build, signal),
    isPooled: request.poolAssays,
    targets: data.targets,
    places,
    groups: which === 'all' && request.page === 'report' ? groupsOf(data, places, genes) : [],
  };
  return Comparison.of(services.cohorts, question, signal);
}

/** The genes of the report's table, and all targets together. */
function groupsOf(data: ReportData, places: readonly number[], genes: IncompleteGenes | undefined): TargetGroup[] {
  const byGene = new Map<string, { places: number[]; length: number }>();
  for (const { group, length } of genes ?? []) byGene.set(group, { places: [], length });
  for (const at of places) byGene.get(data.targets.at(at)?.group ?? '')?.places.push(at);
  const all = { name: wholePanel, places, length: data.bases ?? data.samples[0]?.depths.pooled.length ?? 0 };
  const lacking = data.samples.find(({ copies }) => copies?.lacksY);
  const others = lacking && {
    name: withoutY,
    places: places.filter((at) => !isLeftOut(data, lacking, at)),
    length: lacking.depths.pooled.length,
  };
  return [...[...byGene].map(([name, gene]) => ({ name, ...gene })), all, ...(others ? [others] : [])];
}

/** Compares the intervals of these gaps, if anything is compared. */
export async function compareGaps(
  { comparison }: ReportData,
  gaps: Iterable<{ target: ReportTarget; gaps: readonly (readonly Region[])[] }> | GapColumns,
  signal: AbortSignal,
): Promise<void> {
  if (comparison === undefined) return;
  const intervals: (readonly Region[])[] = [];
  for (const { target, gaps: bySample } of gaps) {
    for (const gap of bySample.flat()) intervals.push(intervalOfGap(target, gap));
  }
  await comparison.addGaps(intervals, signal);
}

/** The interval that decides of which kind a gap is: the exon (of coding bases: the coding part with splice bases) with most of its bases, else the whole target. */
export function intervalOfGap(target: ReportTarget, gap: Region): readonly Region[] {
  const { model, regions } = target;
  if (model === undefined) return regions;
  const shared = (part: Region) => Math.min(part.end, gap.end) - Math.max(part.start, gap.start);
  const parts = (isCoding(target) ? regions : model.exons).filter((part) => shared(part) > 0);
  const [best] = parts.sort((a, b) => shared(b) - shared(a));
  return best === undefined ? regions : [best];
}

// The control charts of the runs of a report's registered samples.

/** The assays of the compared samples, once each. */
export function chartedAssays({ cohorts }: Comparison): string[] {
  const own = [...cohorts.values()].flatMap(({ assay }) => assay ?? []);
  return [...new Set(own)];
}

export function runSections(
  { samples, comparison }: ReportData,
  charts: readonly RunChart[],
  texts: Texts,
): PageSection[] {
  const own = new Set(samples.flatMap(({ sample }) => sample.registration?.id ?? []));
  if (comparison === undefined) return [];
  return charts.map(
    (chart, i): PageSection => ({
      kind: 'drawing',
      drawing: runsDrawing({ chart, own, texts }),
      id: `runs-${i}`,
      title: texts.runs.title(chart.assay),
      caption: texts.runs.caption(chart.places, chart.counted, chartPlaces),
      table: runTable(chart, i, texts),
    }),
  );
}

function runTable({ assay, runs }: RunChart, place: number, texts: Texts): PageTable {
  const { runs: words } = texts;
  const figure = (value: number | undefined): Cell => {
    return value === undefined ? { text: '–', value: '' } : { text: texts.decimal(value), value };
  };
  const driftCells = (drift: Drift): Cell[] => {
    const { distance, test, rules } = drift;
    const tone = hasDrifted(drift) ? { tone: 'bad' as const } : {};
    return [
      figure(distance),
      test === undefined ? { text: '–', value: '' } : { text: pText(test.p, texts), value: test.p, ...tone },
      textCell(rules.join(', '), tone),
    ];
  };
  const drift = (key: string) => [
    { key: `${key}_distance`, title: words.distance, numeric: true },
    { key: `${key}_p`, title: 'p', numeric: true },
    { key: `${key}_rules`, title: words.rules },
  ];
  return {
    name: `runs-${place}`,
    title: words.table(assay),
    caption: '',
    columns: [
      { key: 'run', title: words.run },
      { key: 'day', title: words.day },
      { key: 'samples', title: words.samples, numeric: true },
      { key: 'median_z', title: words.medianZ, numeric: true },
      ...drift('median_z'),
      { key: 'share_beyond_3', title: words.share, numeric: true },
      ...drift('share'),
    ],
    rows: runs
      .slice(-mostRuns)
      .map((run): Cell[] => [
        textCell(run.run),
        textCell(run.day),
        countCell(run.samples.length, texts),
        figure(run.medianZ),
        ...driftCells(run.drift.medianZ),
        percentCell(run.share, texts),
        ...driftCells(run.drift.share),
      ]),
  };
}

function pText(p: number, texts: Texts): string {
  return p < driftP ? `< ${texts.precise(driftP)}` : texts.precise(p);
}
