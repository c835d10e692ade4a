/** The panel on a page: which version was used, what its reader must know of it, and its entries as tables. */
import type { Texts } from '../../texts/texts.js';
import type { ReportData } from '../data.js';
import {
  entryOfGene,
  geneId,
  genesBeside,
  genesByConfidence,
  panelReference,
  type ReportPanel,
  reportedGenes,
  type UncoveredEntry,
  uncoveredEntries,
} from '../panel.js';
import { cutList } from '../targets.js';
import {
  type Cell,
  type Fact,
  type LazyTable,
  type PageNotice,
  type PageSection,
  type PageTable,
  textCell,
} from '../view.js';

/** Entries of one list at most. */
const most = 30;

/** The mark of a panel that is not signed off, for titles and file names: every printed page has it. */
export function panelMark(panel: ReportPanel | undefined, { panels }: Texts): string {
  return panel === undefined ? '' : panels.marks[panel.state];
}

/** `Kidney tumours (kidney@1.10)`, under the name that the request gives the panel. */
export function panelTitle({ request, panel }: Pick<ReportData, 'request' | 'panel'>): string | undefined {
  if (panel === undefined) return request.panel;
  return `${request.panel ?? panel.name} (${panelReference(panel)})`;
}

export function panelFacts(data: ReportData, texts: Texts): Fact[] {
  const { panel, request } = data;
  if (panel === undefined) return [];
  const { panels } = texts;
  const facts = [
    { label: panels.panel, text: [panel.name, versionText(panel, texts)].join(', '), long: true },
    { label: panels.digest, text: `sha256:${panel.sha256}`, long: true },
  ];
  if (request.page === 'gene_overview') return facts;
  const counts = genesByConfidence(panel).map(([one, count]) => `${texts.number(count)} ${panels.levels[one]}`);
  const all = panels.geneCounts(panel.genes.length, counts.join(', '));
  const chosen = panel.confidence === 'all' ? '' : panels.onlyReported(panels.confidences[panel.confidence]);
  return [...facts, { label: panels.confidence, text: [all, chosen].filter(Boolean).join('; ') }];
}

/** `kidney@1.10, signed off 2026-11-03 by anna, bo; gene names: 2026-11-01` */
function versionText(panel: ReportPanel, { panels }: Texts): string {
  const { signedOff, names } = panel;
  const signed = signedOff && panels.signedBy(signedOff.at.toISOString().slice(0, 10), signedOff.by.join(', '));
  const state =
    panel.state === 'signed off' && signed ? signed : [panels.states[panel.state], signed].filter(Boolean).join(', ');
  return `${panelReference(panel)}, ${state}; ${panels.names(names)}`;
}

/** What was requested: the genes of the panel, others, and the number of targets. */
export function requestedText(data: ReportData, panel: ReportPanel, targets: string, { panels }: Texts): string {
  const beside = genesBeside(data);
  const named = panels.genesOf(reportedGenes(panel).length, panelReference(panel));
  const shown = beside.slice(0, most).join(', ');
  return beside.length === 0
    ? `${named}, ${targets}`
    : `${panels.andOthers(named, beside.length, beside.length > most ? `${shown}, …` : shown)}, ${targets}`;
}

/** The rule by which transcripts were chosen, beside those that the panel wants. */
export function transcriptRule({ request, panel }: ReportData, texts: Texts): string {
  const isOfCoding = request.type === 'coding' && request.transcripts === 'preferred';
  const rule = isOfCoding ? texts.counted.preferred : texts.choices[request.transcripts];
  const wanted = panel === undefined ? 0 : reportedGenes(panel).filter(({ transcripts }) => transcripts?.length).length;
  if (wanted === 0 || request.page === 'gene_overview') return rule;
  const { wantedUsed, wantedUnused } = texts.panels;
  return `${rule}; ${request.transcripts === 'preferred' ? wantedUsed(wanted) : wantedUnused(wanted)}`;
}

export function panelNotices(data: ReportData, texts: Texts): PageNotice[] {
  const { panel } = data;
  if (panel === undefined) return [];
  const { panels } = texts;
  const reference = panelReference(panel);
  const notices: PageNotice[] = [];
  if (panel.state !== 'signed off') notices.push({ text: panels.stateNotices[panel.state](reference) });
  if (panel.newer) notices.push({ text: panels.newer(`${panel.panel}@${panel.newer.version}`, panel.newer.genes) });
  if (data.request.page === 'gene_overview') return [...notices, ...geneNotices(data, panel, texts)];
  const uncovered = uncoveredEntries(data);
  if (uncovered.length > 0) {
    const kinds = (['gene', 'region', 'str', 'unmapped'] as const).flatMap((kind) => {
      const count = uncovered.filter((one) => one.kind === kind).length;
      return count === 0 ? [] : [panels.entries[kind](count)];
    });
    notices.push({ text: panels.uncovered(kinds.join(', ')) });
  }
  const unmet = data.unmet.map(({ asked, wanted, loaded }) => panels.unmet(symbolOf(panel, asked), wanted, loaded));
  if (unmet.length > 0) notices.push({ text: panels.unmetTitle(unmet.length), list: cutList(unmet, most, texts) });
  const renamed = renamedGenes(data, panel).map(([before, now]) => texts.panels.renamed(before, now));
  if (renamed.length > 0)
    notices.push({ text: panels.renamedTitle(renamed.length), list: cutList(renamed, most, texts) });
  return notices;
}

function geneNotices(data: ReportData, panel: ReportPanel, { panels }: Texts): PageNotice[] {
  const reference = panelReference(panel);
  const entry = entryOfGene(data);
  if (entry === undefined) return [{ text: panels.geneNotIn(reference) }];
  const wanted = entry.transcripts?.join(', ');
  return wanted ? [{ text: panels.geneWants(reference, wanted) }] : [];
}

function symbolOf({ genes }: ReportPanel, id: string): string {
  return genes.find((gene) => geneId(gene) === id)?.symbol ?? id;
}

/** Genes whose symbol in the gene set is another than in the panel. */
function renamedGenes({ found }: ReportData, panel: ReportPanel): [panel: string, report: string][] {
  const symbols = new Map(panel.genes.map((gene) => [geneId(gene), gene.symbol]));
  return found.flatMap(({ asked, genes }) => {
    const before = symbols.get(asked);
    const now = genes.map(({ symbol }) => symbol).find((symbol) => symbol !== undefined);
    return before === undefined || now === undefined || before === now ? [] : [[before, now]];
  });
}

// The entries of a panel as tables: what a report does not cover of it, and all of its genes.

/** Entries up to which the table is open on a page. */
const few = 20;

/** Nothing without a panel, on the page of a gene, or if the report covers every entry. */
export function panelSections(data: ReportData, texts: Texts): PageSection[] {
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

function uncoveredTable(data: ReportData, texts: Texts): PageTable {
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
      textCell(one.hgnc === undefined ? one.name : `${one.name} (HGNC:${one.hgnc})`),
      textCell(panels.kinds[one.kind]),
      one.place === undefined ? { text: '–', value: '' } : textCell(one.place),
      textCell(reasonText(one, data, texts)),
    ]),
  };
}

/** Why the report does not cover the entry. */
function reasonText({ why }: UncoveredEntry, { request }: ReportData, { panels, warnings }: Texts): string {
  switch (why.code) {
    case 'confidence':
      return panels.otherConfidence(panels.levels[why.confidence]);
    case 'not-a-gene':
      return panels.notAGene;
    case 'no-place':
    case 'no-coding':
    case 'too-many-genes':
      return panels.notLookedAt[why.code](request.build);
    case 'unmapped':
      return why.text;
    default:
      return [warnings.notMeasured[why.code], ...(why.candidates ? [`(${why.candidates.join(', ')})`] : [])].join(' ');
  }
}

function genesTable(data: ReportData, panel: ReportPanel, texts: Texts): PageTable {
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
        textCell(geneId(gene)),
        textCell(gene.symbol),
        { text: panels.levels[gene.confidence], value: gene.confidence },
        none(gene.inheritance),
        none(gene.transcripts?.join(' ')),
        none(why && reasonText(why, data, texts)),
      ];
    }),
  };
}
