/** The version of a panel as JSON, with what became of its entries. */
import { genesBeside, type PanelUse, uncoveredEntries } from '../panels/entries.js';
import { geneId, panelReference, type ReportPanel } from '../panels/panel.js';
import type { ReportData } from '../report/report-data.js';

/** Which version was used. */
export function panelVersionData(panel: ReportPanel) {
  const { version, name, state, sha256, names, signedOff, newer } = panel;
  return {
    reference: panelReference(panel),
    id: panel.panel,
    version,
    name,
    state,
    sha256,
    gene_names: names ?? null,
    signed_off: signedOff === undefined ? null : { at: signedOff.at.toISOString(), by: [...signedOff.by] },
    newer: newer === undefined ? null : { version: newer.version, genes_that_differ: newer.genes },
    confidence: panel.confidence,
  };
}

/** The same, with its genes and, unless the page is that of a gene, what became of its entries. */
export function panelData(data: ReportData, panel: ReportPanel) {
  return {
    ...panelVersionData(panel),
    genes: panel.genes.map((gene) => ({
      hgnc: geneId(gene),
      symbol: gene.symbol,
      confidence: gene.confidence,
      inheritance: gene.inheritance ?? null,
      transcripts: gene.transcripts ?? [],
    })),
    ...(data.request.page === 'gene_overview' ? {} : entriesData(data)),
  };
}

/** What of the panel was not measured, or not as it says, and which genes were measured beside it. */
export function entriesData(use: PanelUse) {
  return {
    genes_beside: genesBeside(use),
    not_covered: uncoveredEntries(use).map(({ kind, name, hgnc, place, why }) => ({
      kind,
      name,
      hgnc: hgnc === undefined ? null : `HGNC:${hgnc}`,
      place: place ?? null,
      reason: why.code,
      ...('text' in why ? { message: why.text } : {}),
    })),
    transcripts_not_as_wanted: use.unmet.map(({ asked, wanted, loaded }) => {
      return { gene: asked, wanted, measured: loaded ?? null };
    }),
  };
}
