/** The panel of a report: which of its genes are measured, and by which transcripts. */
import type { Confidence, PanelGeneOfReport, PanelOfReport } from '../../services/panels.js';
import type { NotMeasured } from '../domain/select.js';

/** Which genes of a panel are reported, by the confidence of their entries; those that no source rated always are. */
export const panelConfidences = ['all', 'amber', 'green'] as const;
export type PanelConfidence = (typeof panelConfidences)[number];

/** The version of a panel that a report used. */
export interface ReportPanel extends PanelOfReport {
  confidence: PanelConfidence;
  /** The latest signed-off version, if it is newer, and how many genes differ. */
  newer?: { version: string; genes: number };
}

const reported: Readonly<Record<PanelConfidence, readonly Confidence[]>> = {
  all: ['green', 'amber', 'red', 'unrated'],
  amber: ['green', 'amber', 'unrated'],
  green: ['green', 'unrated'],
};

/** `kidney@1.10` */
export function panelReference({ panel, version }: Pick<PanelOfReport, 'panel' | 'version'>): string {
  return `${panel}@${version}`;
}

/** Whether the gene's confidence is one that the request reports. */
export function isReported({ confidence }: Pick<PanelGeneOfReport, 'confidence'>, asked: PanelConfidence): boolean {
  return reported[asked].includes(confidence);
}

/** The genes of the panel that are to be measured. */
export function reportedGenes({ genes, confidence }: Pick<ReportPanel, 'genes' | 'confidence'>): PanelGeneOfReport[] {
  return genes.filter((gene) => isReported(gene, confidence));
}

/** The name under which the gene is looked up: `HGNC:950`. */
export function geneId({ hgnc }: Pick<PanelGeneOfReport, 'hgnc'>): string {
  return `HGNC:${hgnc}`;
}

/** The names of all genes of a request: those of its panel, then others that it lists. */
export function requestedGenes(listed: readonly string[], panel: ReportPanel | undefined): readonly string[] {
  return panel === undefined ? listed : [...new Set([...reportedGenes(panel).map(geneId), ...listed])];
}

/**
 * With the panel's symbols of genes that were not measured: their ids alone say little. A gene of a panel exists, even if nothing
 * that coverage has loaded names it: it is not in the build.
 */
export function withSymbols<Found extends { notMeasured: readonly NotMeasured[] }>(
  found: Found,
  panel: ReportPanel | undefined,
): Found {
  if (panel === undefined || found.notMeasured.length === 0) return found;
  const symbols = new Map(panel.genes.map((gene) => [geneId(gene), gene.symbol]));
  const notMeasured = found.notMeasured.map((one) => {
    const symbol = symbols.get(one.asked);
    if (symbol === undefined) return one;
    return { ...one, symbol, ...(one.reason === 'unknown' && { reason: 'not-in-build' as const }) };
  });
  return { ...found, notMeasured };
}

/** The transcripts that the panel wants instead of the preferred ones, by `geneId`. */
export function wantedTranscripts(panel: ReportPanel | undefined): ReadonlyMap<string, readonly string[]> {
  const wanted = panel === undefined ? [] : reportedGenes(panel);
  return new Map(
    wanted.flatMap((gene) => (gene.transcripts?.length ? [[geneId(gene), gene.transcripts] as const] : [])),
  );
}
