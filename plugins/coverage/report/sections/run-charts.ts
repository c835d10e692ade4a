/** The control charts of the runs of a report's registered samples: the drawing and the table beside it. */
import { scaleLinear } from 'd3-scale';
import type { Comparison } from '../../cohorts/compare.js';
import { type ChartSample, chartPlaces, type Drift, driftP, hasDrifted, type RunChart } from '../../cohorts/runs.js';
import { normalConsistency, quantile, spreadOfValues } from '../../cohorts/statistics.js';
import type { Build } from '../../contract.js';
import type { MeasuringServices } from '../../services.js';
import type { Texts } from '../../texts/texts.js';
import type { ReportData } from '../data.js';
import { shortenedName } from '../plots/curve.js';
import { countCell, percentCell } from '../targets.js';
import { type Cell, type Drawing, type PageSection, type PageTable, type Shape, textCell, textShape } from '../view.js';

/** Runs that are drawn and listed: the last ones. */
const mostRuns = 30;

export async function runChartsOf(
  { runCharts }: MeasuringServices,
  comparison: Comparison,
  build: Build,
  signal: AbortSignal,
): Promise<RunChart[]> {
  const charts: RunChart[] = [];
  for (const assay of chartedAssays(comparison)) {
    const chart = await runCharts({ build, assay, members: comparison.members }, signal);
    if (chart !== undefined) charts.push(chart);
  }
  return charts;
}

/** The assays of the compared samples, once each. */
function chartedAssays({ cohorts }: Comparison): string[] {
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

// The drawing: one mark for each sample, one line for each run, the limits of the assay.

const [width, height] = [760, 416];
const [left, right] = [64, 744];
const panels = { z: { top: 22, bottom: 200 }, share: { top: 236, bottom: 350 } };
/** Half the side of the mark of a sample. */
const half = 2.5;

interface RunsDrawing {
  chart: RunChart;
  /** Registered samples of the report, which are marked. */
  own: ReadonlySet<string>;
  texts: Texts;
}

function runsDrawing({ chart, own, texts }: RunsDrawing): Drawing {
  const runs = chart.runs.slice(-mostRuns);
  const { runs: words } = texts;
  const all = chart.runs.flatMap(({ samples }) => samples);
  const slot = (right - left) / runs.length;
  const middle = (i: number) => left + (i + 0.5) * slot;
  const shapes: Shape[] = [];

  const centre = spreadOfValues(Float64Array.from(all, ({ medianZ }) => medianZ));
  const limit = (deviations: number) => centre.median + deviations * normalConsistency * centre.mad;
  const zs = [...runs.flatMap(({ samples }) => samples.map(({ medianZ }) => medianZ)), limit(-3.3), limit(3.3)];
  const shares = runs.flatMap(({ samples }) => samples.map(({ share }) => share));
  const z = scaleLinear([Math.min(...zs), Math.max(...zs)], [panels.z.bottom, panels.z.top]).nice();
  const share = scaleLinear([0, Math.max(0.05, ...shares)], [panels.share.bottom, panels.share.top]).nice();

  const label = (x: number, y: number, text: string, anchor: 'start' | 'middle' | 'end', bold = false): Shape => {
    return textShape([x, y], text, 12, bold ? 'bad' : 'soft', { anchor, bold });
  };
  const across = (y: number, stroke: 'line' | 'soft' | 'bad', dash: readonly number[] = []): Shape => {
    return { kind: 'line', x1: left, x2: right, y1: y, y2: y, stroke, dash };
  };
  shapes.push(label(left, panels.z.top - 8, words.medianZ, 'start'));
  shapes.push(label(left, panels.share.top - 8, words.share, 'start'));
  for (const tick of z.ticks(5)) shapes.push(label(left - 8, z(tick) + 4, texts.number(tick), 'end'));
  for (const tick of share.ticks(3)) {
    shapes.push(across(share(tick), 'line'), label(left - 8, share(tick) + 4, `${texts.number(tick * 100)} %`, 'end'));
  }
  shapes.push(across(z(limit(0)), 'soft'));
  for (const deviations of [-2, 2]) shapes.push(across(z(limit(deviations)), 'soft', [4, 4]));
  for (const deviations of [-3, 3]) shapes.push(across(z(limit(deviations)), 'bad', [4, 4]));

  const marks = (samples: readonly ChartSample[], x: number, y: (sample: ChartSample) => number) => {
    for (const sample of samples) {
      if (own.has(sample.id)) continue;
      const [left, top, side] = [x - half, y(sample) - half, 2 * half];
      shapes.push({ kind: 'rect', x: left, y: top, width: side, height: side, fill: 's0', opacity: 0.55 });
    }
    for (const sample of samples) if (own.has(sample.id)) shapes.push(diamond(x, y(sample)));
  };
  const bar = (x: number, y: number): Shape => {
    const reach = Math.min(14, slot * 0.35);
    return { kind: 'line', x1: x - reach, x2: x + reach, y1: y, y2: y, stroke: 'ink', width: 2 };
  };
  for (const [i, run] of runs.entries()) {
    const x = middle(i);
    marks(run.samples, x, (sample) => z(sample.medianZ));
    marks(run.samples, x, (sample) => share(sample.share));
    shapes.push(bar(x, z(run.medianZ)), bar(x, share(run.share)));
    const every = Math.ceil(runs.length / 12);
    if (i % every === 0)
      shapes.push(
        label(
          x,
          panels.share.bottom + 18,
          shortenedName(run.run, Math.max(4, Math.floor((slot * every) / 8))),
          'middle',
        ),
      );
    const sign = (drift: Drift) => drift.rules[0] ?? `p < ${texts.precise(driftP)}`;
    if (hasDrifted(run.drift.medianZ)) {
      shapes.push(label(x, panels.z.bottom + 14, sign(run.drift.medianZ), 'middle', true));
    }
    if (hasDrifted(run.drift.share)) {
      shapes.push(label(x, panels.share.bottom + 34, sign(run.drift.share), 'middle', true));
    }
  }
  shapes.push(label(right, height - 8, words.legend(own.size > 0), 'end'));
  const drifted = runs.filter(({ drift }) => hasDrifted(drift.medianZ) || hasDrifted(drift.share));
  return {
    width,
    height,
    title: words.title(chart.assay),
    description: words.description(
      runs.length,
      all.length,
      drifted.map(({ run }) => run),
      texts.decimal(
        quantile(
          Float64Array.from(all, ({ share }) => share),
          0.5,
        ) * 100,
      ),
    ),
    shapes,
  };
}

function diamond(x: number, y: number): Shape {
  return {
    kind: 'path',
    d: `M${x},${y - 6}L${x + 6},${y}L${x},${y + 6}L${x - 6},${y}Z`,
    fill: 's1',
    stroke: 'ink',
    width: 1,
  };
}
