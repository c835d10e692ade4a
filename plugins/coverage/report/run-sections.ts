/** The control charts of the runs of a report's registered samples. */
import type { Comparison } from '../comparison/compare.js';
import type { Drift, RunChart } from '../comparison/runs.js';
import { chartPlaces, driftP, hasDrifted } from '../comparison/runs.js';
import { mostRuns, runsDrawing } from '../plots/runs.js';
import type { Texts } from '../texts/texts.js';
import { countCell, percentCell } from './cells.js';
import type { ReportData } from './report-data.js';
import { type Cell, type Section, type Table, text } from './view.js';

/** The assays of the compared samples, once each. */
export function chartedAssays({ cohorts }: Comparison): string[] {
  const own = [...cohorts.values()].flatMap(({ assay }) => assay ?? []);
  return [...new Set(own)];
}

export function runSections({ samples, comparison }: ReportData, charts: readonly RunChart[], texts: Texts): Section[] {
  const own = new Set(samples.flatMap(({ sample }) => sample.registration?.id ?? []));
  if (comparison === undefined) return [];
  return charts.map(
    (chart, i): Section => ({
      kind: 'drawing',
      drawing: runsDrawing({ chart, own, texts }),
      id: `runs-${i}`,
      title: texts.runs.title(chart.assay),
      caption: texts.runs.caption(chart.places, chart.counted, chartPlaces),
      table: runTable(chart, i, texts),
    }),
  );
}

function runTable({ assay, runs }: RunChart, place: number, texts: Texts): Table {
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
      text(rules.join(', '), tone),
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
        text(run.run),
        text(run.day),
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
