/** What exports without a header state in each row: which bases were counted, and the version of the panel. */
import { panelReference, type ReportPanel } from '../panels/panel.js';
import { codingGenes, countedKey } from '../report/counted.js';
import type { ReportData } from '../report/report-data.js';
import { type Cell, type LongTable, text } from '../report/view.js';

/** The tables that count bases of the intervals, and do not say themselves which. */
const ofBases = new Set([
  ...['metrics', 'coding', 'fully_covered', 'incomplete_genes', 'curve', 'uniformity', 'gaps', 'intervals'],
  ...['incomplete', 'transcripts'],
]);

const panelColumns = ['panel', 'panel_state', 'panel_sha256', 'panel_gene_names'];

/** The table with these columns at its end: the same in each row, but for the bases of genes without coding ones. */
export function withHeaderColumns(
  table: LongTable,
  data: Pick<ReportData, 'panel' | 'request' | 'targets'>,
): LongTable {
  const { panel } = data;
  const isOfBases = ofBases.has(table.name);
  const keys = [...(isOfBases ? ['bases_counted'] : []), ...(panel === undefined ? [] : panelColumns)];
  const ofPanel = panel === undefined ? [] : [panelReference(panel), panel.state, panel.sha256, panel.names ?? ''];
  const cells = ofPanel.map((one) => text(one));
  const counted = text(countedKey(data));
  const nonCoding = new Set<unknown>(table.columns[0]?.key === 'gene' ? codingGenes(data).nonCoding : []);
  const countedOf = ([gene]: readonly Cell[]) => (nonCoding.has(gene?.value) ? text('non-coding exons') : counted);
  return {
    ...table,
    columns: [...table.columns, ...keys.map((key) => ({ key, title: key }))],
    rows: { [Symbol.iterator]: () => rowsWith(table.rows, isOfBases ? countedOf : undefined, cells) },
  };
}

function* rowsWith(
  rows: LongTable['rows'],
  countedOf: ((row: readonly Cell[]) => Cell) | undefined,
  cells: readonly Cell[],
): Iterator<readonly Cell[]> {
  for (const row of rows) yield [...row, ...(countedOf === undefined ? [] : [countedOf(row)]), ...cells];
}

/** `kidney@1.10 (signed off), sha256:…, gene names 2026-11-01`: one line, whatever the release is called. */
export function panelLine(panel: ReportPanel): string {
  const names =
    panel.names === undefined
      ? 'release of gene names unknown'
      : `gene names ${panel.names.replace(/[\s\p{Cc}]+/gu, ' ')}`;
  return `${panelReference(panel)} (${panel.state}), sha256:${panel.sha256}, ${names}`;
}
