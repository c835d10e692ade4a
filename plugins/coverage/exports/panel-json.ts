/** The version of a panel as JSON, with what became of its entries. */
import { genesBeside, uncoveredEntries } from '../panels/entries.js';
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
    signed_off: signedOff === undefined ? null : { at: signedOff.at.toISOString(), by: signedOff.by },
    newer: newer === undefined ? null : { version: newer.version, genes_that_differ: newer.genes },
    confidence: panel.confidence,
  };
}

/** The same, with its genes and what the report does not cover. */
export function panelData(data: ReportData, panel: ReportPanel) {
  const isOfGene = data.request.page === 'gene_overview';
  return {
    ...panelVersionData(panel),
    genes: panel.genes.map((gene) => ({
      hgnc: geneId(gene),
      symbol: gene.symbol,
      confidence: gene.confidence,
      inheritance: gene.inheritance ?? null,
      transcripts: gene.transcripts ?? [],
    })),
    ...(isOfGene
      ? {}
      : {
          genes_beside: genesBeside(data),
          not_covered: notCoveredData(data),
          transcripts_not_as_wanted: data.unmet.map(({ asked, wanted, loaded }) => {
            return { gene: asked, wanted, measured: loaded ?? null };
          }),
        }),
  };
}

/** Entries of the panel that were not measured. */
export function notCoveredData(data: Pick<ReportData, 'panel' | 'notMeasured'>) {
  return uncoveredEntries(data).map(({ kind, name, hgnc, place, why }) => ({
    kind,
    name,
    hgnc: hgnc === undefined ? null : `HGNC:${hgnc}`,
    place: place ?? null,
    reason: why.code,
    ...('text' in why ? { message: why.text } : {}),
  }));
}
