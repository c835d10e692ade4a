/** Finds the panel that a request names. */
import { Fault, type Principal } from '../../../core/plugin.js';
import type { Texts } from '../texts/texts.js';
import { type PanelConfidence, panelReference, type ReportPanel, reportedGenes } from './panel.js';
import type { FindPanels } from './service.js';

/** The form field with the panel, and the one that says which of its genes are reported. */
export const panelField = 'panel';
export const confidenceField = 'panel_confidence';

export interface AskedPanel {
  /** `kidney@1.10`, or `kidney` for the latest version that is signed off. */
  reference: string;
  confidence: PanelConfidence;
  caller: Principal | 'operator' | undefined;
  /** Genes that the request lists beside the panel, and that it may have at most. */
  listed: number;
  most: number;
}

/** Throws `unprocessable` for the field if there is no such panel, if the caller may not read it, or if no panels are kept. */
export async function resolvePanel(
  find: FindPanels,
  { reference, confidence, caller, listed, most }: AskedPanel,
  { panels: texts }: Texts,
): Promise<ReportPanel> {
  const service = find();
  if (service === undefined) throw refused(panelField, texts.noPlugin);
  const version = await service.versionOf(reference, caller);
  if (version === undefined) {
    throw refused(panelField, reference.includes('@') ? texts.unknown(reference) : texts.noneSigned(reference));
  }
  const newer = await service.newerThan(version.panel, version.version, caller);
  const panel: ReportPanel = {
    ...version,
    confidence,
    ...(newer && { newer: { version: newer.version, genes: newer.differences.length } }),
  };
  const genes = reportedGenes(panel).length;
  const named = panelReference(panel);
  if (version.genes.length === 0) throw refused(panelField, texts.noGenes(named));
  if (genes === 0) throw refused(confidenceField, texts.noneReported(named));
  if (genes + listed > most) throw refused(panelField, texts.tooMany(named, most));
  return panel;
}

/** Why the panel of a request cannot be used. */
export function refusedPanel(message: string): Fault {
  return refused(panelField, message);
}

function refused(path: string, message: string): Fault {
  return new Fault('unprocessable', `${path}: ${message}`, { fields: [{ path, message }] });
}
