/** The panel in the header of a page: which version was used, and what its reader must know of it. */
import { entryOfGene, genesBeside, genesByConfidence, uncoveredEntries } from '../panels/entries.js';
import { geneId, panelReference, type ReportPanel, reportedGenes } from '../panels/panel.js';
import type { Texts } from '../texts/texts.js';
import type { ReportData } from './report-data.js';
import type { Fact, Notice } from './view.js';

/** Entries of one list at most. */
const most = 30;

/** Of a panel that nobody signed off, for titles and file names: it stands on every page of a print. */
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

export function panelNotices(data: ReportData, texts: Texts): Notice[] {
  const { panel } = data;
  if (panel === undefined) return [];
  const { panels } = texts;
  const reference = panelReference(panel);
  const notices: Notice[] = [];
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
  if (unmet.length > 0) notices.push({ text: panels.unmetTitle(unmet.length), list: cut(unmet, texts) });
  const renamed = renamedGenes(data, panel).map(([before, now]) => texts.panels.renamed(before, now));
  if (renamed.length > 0) notices.push({ text: panels.renamedTitle(renamed.length), list: cut(renamed, texts) });
  return notices;
}

function geneNotices(data: ReportData, panel: ReportPanel, { panels }: Texts): Notice[] {
  const reference = panelReference(panel);
  const entry = entryOfGene(data);
  if (entry === undefined) return [{ text: panels.geneNotIn(reference) }];
  const wanted = entry.transcripts?.join(', ');
  return wanted ? [{ text: panels.geneWants(reference, wanted) }] : [];
}

function cut(list: readonly string[], { warnings }: Texts): string[] {
  return list.length <= most ? [...list] : [...list.slice(0, most), warnings.more(list.length - most)];
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
