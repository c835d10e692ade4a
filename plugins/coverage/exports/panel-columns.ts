/** The version of a panel in exports that have no header. */
import { panelReference, type ReportPanel } from '../panels/panel.js';
import { type Cell, type LongTable, text } from '../report/view.js';

const columns = ['panel', 'panel_state', 'panel_sha256', 'panel_gene_names'].map((key) => ({ key, title: key }));

/** The table with these columns at its end, the same in each row; unchanged without a panel. */
export function withPanelColumns(table: LongTable, panel: ReportPanel | undefined): LongTable {
  if (panel === undefined) return table;
  const cells = [panelReference(panel), panel.state, panel.sha256, panel.names ?? ''].map((one) => text(one));
  return {
    ...table,
    columns: [...table.columns, ...columns],
    rows: { [Symbol.iterator]: () => rowsWith(table.rows, cells) },
  };
}

function* rowsWith(rows: LongTable['rows'], cells: readonly Cell[]): Iterator<readonly Cell[]> {
  for (const row of rows) yield [...row, ...cells];
}

/** `kidney@1.10 (signed off), sha256:…, gene names 2026-11-01`: one line, whatever the release is called. */
export function panelLine(panel: ReportPanel): string {
  const names =
    panel.names === undefined
      ? 'release of gene names unknown'
      : `gene names ${panel.names.replace(/[\s\p{Cc}]+/gu, ' ')}`;
  return `${panelReference(panel)} (${panel.state}), sha256:${panel.sha256}, ${names}`;
}
