/** The entries of a panel as tables: what a report does not cover of it, and all of its genes. */
import { type UncoveredEntry, uncoveredEntries } from '../panels/entries.js';
import { geneId, type ReportPanel } from '../panels/panel.js';
import type { Texts } from '../texts/texts.js';
import type { ReportData } from './report-data.js';
import { type Cell, type LazyTable, type Section, type Table, text } from './view.js';

/** Entries up to which the table is open on a page. */
const few = 20;

/** Nothing without a panel, on the page of a gene, or if the report covers every entry. */
export function panelSections(data: ReportData, texts: Texts): Section[] {
  if (data.panel === undefined || data.request.page === 'gene_overview') return [];
  const table = uncoveredTable(data, texts);
  const { length } = table.rows;
  if (length === 0) return [];
  return [{ kind: 'table', table, summary: texts.panels.entriesCount(length), open: length <= few }];
}

/** For CSV and TSV. */
export function panelTables(data: ReportData, texts: Texts): LazyTable[] {
  const { panel, request } = data;
  if (panel === undefined || request.page === 'gene_overview') return [];
  return [
    { name: 'panel_genes', make: () => genesTable(data, panel, texts) },
    { name: 'not_covered', make: () => uncoveredTable(data, texts) },
  ];
}

function uncoveredTable(data: ReportData, texts: Texts): Table {
  const { panels } = texts;
  const { columns } = panels;
  return {
    name: 'not_covered',
    title: panels.uncoveredTitle,
    caption: panels.uncoveredCaption,
    columns: [
      { key: 'entry', title: columns.entry, weight: 1.4 },
      { key: 'kind', title: columns.kind },
      { key: 'place', title: columns.place, weight: 1.4 },
      { key: 'reason', title: columns.reason, weight: 2 },
    ],
    rows: uncoveredEntries(data).map((one): Cell[] => [
      text(one.hgnc === undefined ? one.name : `${one.name} (HGNC:${one.hgnc})`),
      text(panels.kinds[one.kind]),
      one.place === undefined ? { text: '–', value: '' } : text(one.place),
      text(reasonText(one, texts)),
    ]),
  };
}

/** Why the report does not cover the entry. */
function reasonText({ why }: UncoveredEntry, { panels, warnings }: Texts): string {
  switch (why.code) {
    case 'confidence':
      return panels.otherConfidence(panels.levels[why.confidence]);
    case 'not-a-gene':
      return panels.notAGene;
    case 'unmapped':
      return why.text;
    default:
      return [warnings.notMeasured[why.code], ...(why.candidates ? [`(${why.candidates.join(', ')})`] : [])].join(' ');
  }
}

function genesTable(data: ReportData, panel: ReportPanel, texts: Texts): Table {
  const { panels } = texts;
  const { columns } = panels;
  const missing = new Map(uncoveredEntries(data).flatMap((one) => (one.hgnc === undefined ? [] : [[one.hgnc, one]])));
  const none = (value: string | undefined): Cell => ({ text: value ?? '–', value: value ?? '' });
  return {
    name: 'panel_genes',
    title: panels.genesTitle,
    caption: '',
    columns: [
      { key: 'hgnc_id', title: columns.id },
      { key: 'symbol', title: columns.symbol },
      { key: 'confidence', title: columns.confidence },
      { key: 'inheritance', title: columns.inheritance },
      { key: 'transcripts', title: columns.transcripts },
      { key: 'not_covered', title: columns.reason },
    ],
    rows: panel.genes.map((gene): Cell[] => {
      const why = missing.get(gene.hgnc);
      return [
        text(geneId(gene)),
        text(gene.symbol),
        { text: panels.levels[gene.confidence], value: gene.confidence },
        none(gene.inheritance),
        none(gene.transcripts?.join(' ')),
        none(why && reasonText(why, texts)),
      ];
    }),
  };
}
