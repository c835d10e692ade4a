/**
 * The panel of a report: how the request's is found, which of its genes are measured and by which transcripts, and what became
 * of each of its entries.
 */
import { isFault, type PluginContext, type Principal, type RequestHead } from '../../../core/plugin.js';
import type {
  Confidence,
  PanelGeneOfReport,
  PanelOfReport,
  PanelPlaceOfReport,
  PanelsService,
} from '../../services/panels.js';
import type { Selection, UnmeasuredGene } from '../measure/select.js';
import type { Texts } from '../texts/texts.js';
import { fieldFault } from './form/fields.js';

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
export function withSymbols<Found extends { notMeasured: readonly UnmeasuredGene[] }>(
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

// Finds the panel that a request names.

/** The form field with the panel, and the one that says which of its genes are reported. */
export const panelField = 'panel';
export const confidenceField = 'panel_confidence';

interface PanelQuery {
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
  { reference, confidence, caller, listed, most }: PanelQuery,
  { panels: texts }: Texts,
): Promise<ReportPanel> {
  const service = find();
  if (service === undefined) throw fieldFault(panelField, texts.noPlugin);
  const version = await service.versionOf(reference, caller);
  if (version === undefined) {
    throw fieldFault(panelField, reference.includes('@') ? texts.unknown(reference) : texts.noneSigned(reference));
  }
  const newer = await service.newerThan(version.panel, version.version, caller);
  const panel: ReportPanel = {
    ...version,
    confidence,
    ...(newer && { newer: { version: newer.version, genes: newer.differences.length } }),
  };
  const genes = reportedGenes(panel).length;
  const named = panelReference(panel);
  if (version.genes.length === 0) throw fieldFault(panelField, texts.noGenes(named));
  if (genes === 0) throw fieldFault(confidenceField, texts.noneReported(named));
  if (genes + listed > most) throw fieldFault(panelField, texts.tooMany(named, most));
  return panel;
}

interface PanelSource {
  panels: FindPanels;
  panelReader(request: PanelRequest, reference: string): Promise<PanelQuery['caller']>;
  settings: { limits: { genes: number } };
}

/** The fields of a form that concern its panel. */
interface PanelFields {
  panelRef: string;
  panelConfidence: PanelConfidence;
  genes: readonly string[];
}

/** The panel that a form names, if the caller of the request may read it. Throws as `resolvePanel`. */
export async function panelOfRequest(
  { panels, panelReader, settings: { limits } }: PanelSource,
  { panelRef: reference, panelConfidence: confidence, genes }: PanelFields,
  request: PanelRequest,
  texts: Texts,
): Promise<ReportPanel> {
  const caller = await panelReader(request, reference);
  return resolvePanel(panels, { reference, confidence, caller, listed: genes.length, most: limits.genes }, texts);
}

// Who asks for a panel. Reports may need no credential, and drafts of panels always do.

export interface PanelRequest extends Pick<RequestHead, 'headers' | 'method' | 'csrf'> {
  principal?: Principal | undefined;
}

/**
 * The holder of the API token in `X-Auth-Token`, which a request sends for this, else the caller whom the route admitted. A token
 * that is not valid counts as none: the route does not need it.
 */
export function panelReaderOf({
  callerOf,
}: ReturnType<PluginContext<unknown>['optionalAccess']>): (request: PanelRequest) => Promise<Principal | undefined> {
  return async ({ principal, method, headers }) => {
    const token = headers['x-auth-token'];
    if (token === undefined) return principal;
    try {
      // Nothing else that came with it: the route has checked that already, and it may be of another provider.
      const caller = await callerOf({ method, headers: { 'x-auth-token': token } });
      return caller.kind === 'anonymous' ? principal : caller;
    } catch (error) {
      if (isFault(error) && error.code === 'unauthenticated') return principal;
      throw error;
    }
  };
}

// What became of each entry of a panel in a report on genes.

/** What was measured for a request, of its panel and of the genes that it lists. */
export interface PanelUse {
  panel?: ReportPanel | undefined;
  request: { readonly genes: readonly string[] };
  found: Selection['found'];
  notMeasured: readonly UnmeasuredGene[];
  unmet: Selection['unmet'];
  /** If its regions and repeats were looked at. */
  panelPlaces?: { readonly left: ReadonlyMap<PanelPlaceOfReport, LeftPlace> } | undefined;
}

/**
 * Why a report does not look at a region or repeat: the panel does not say where it is on the build; no coding base of genes in it is
 * known; its genes are more than a request may have.
 */
export type LeftPlace = 'confidence' | 'no-place' | 'no-coding' | 'too-many-genes';

type EntryUse = Pick<PanelUse, 'panel' | 'notMeasured' | 'panelPlaces'>;

/** An entry that the report does not cover. */
export interface UncoveredEntry {
  /** `unmapped`: an entry of a draft for which no gene is certain. */
  kind: 'gene' | 'region' | 'str' | 'unmapped';
  name: string;
  hgnc?: number;
  /** As the panel's source writes it. */
  place?: string;
  why:
    | { code: UnmeasuredGene['reason']; candidates?: readonly string[] }
    | { code: 'confidence'; confidence: Confidence }
    /** Regions and short tandem repeats: on pages of genes alone, and of those that a report does not look at. */
    | { code: 'not-a-gene' | Exclude<LeftPlace, 'confidence'> }
    | { code: 'unmapped'; text: string };
}

/** Genes first, each kind in the order of the panel. */
export function uncoveredEntries({ panel, notMeasured, panelPlaces }: EntryUse): UncoveredEntry[] {
  if (panel === undefined) return [];
  const missing = new Map(notMeasured.map((one) => [one.asked, one]));
  return [
    ...panel.genes.flatMap((gene) => {
      const why = whyNot(gene, panel, missing.get(geneId(gene)));
      return why === undefined ? [] : [{ kind: 'gene' as const, name: gene.symbol, hgnc: gene.hgnc, why }];
    }),
    ...panel.others.flatMap((other) => {
      const code = panelPlaces === undefined ? 'not-a-gene' : panelPlaces.left.get(other);
      if (code === undefined) return [];
      const { kind, name, place, confidence } = other;
      const why: UncoveredEntry['why'] = code === 'confidence' ? { code, confidence } : { code };
      return [{ kind, name, ...(place !== undefined && { place }), why }];
    }),
    ...panel.unmapped.map(({ given, why }) => ({
      kind: 'unmapped' as const,
      name: given,
      why: { code: 'unmapped' as const, text: why },
    })),
  ];
}

function whyNot(
  gene: PanelGeneOfReport,
  panel: ReportPanel,
  missing: UnmeasuredGene | undefined,
): UncoveredEntry['why'] | undefined {
  const { confidence } = gene;
  if (!isReported(gene, panel.confidence)) return { code: 'confidence', confidence };
  if (missing === undefined) return undefined;
  const { reason, candidates } = missing;
  return { code: reason, ...(candidates && { candidates }) };
}

/** The requested names of genes that the form lists and the panel does not have. */
export function genesBeside({ panel, request, found }: Pick<PanelUse, 'panel' | 'request' | 'found'>): string[] {
  if (panel === undefined) return [];
  const ids = new Set(panel.genes.filter((gene) => isReported(gene, panel.confidence)).map(geneId));
  const own = new Set(found.flatMap(({ asked, genes }) => (ids.has(asked) ? genes.map(({ ensembl }) => ensembl) : [])));
  const answers = new Map(found.map((one) => [one.asked, one.genes]));
  return request.genes.filter((asked) => {
    const genes = answers.get(asked);
    return !ids.has(asked) && (genes === undefined || genes.some(({ ensembl }) => !own.has(ensembl)));
  });
}

/** The panel's entry of the gene of a gene page; undefined if the panel does not have it. */
export function entryOfGene({ panel, request, found }: Pick<PanelUse, 'panel' | 'request' | 'found'>) {
  const [asked] = request.genes;
  const answer = found.find((one) => one.asked === asked);
  const numbers = answer?.genes.map(({ hgnc }) => hgnc);
  return panel?.genes.find((gene) => geneId(gene) === asked || numbers?.includes(gene.hgnc));
}

/** Number of genes by confidence, without those of which there are none. */
export function genesByConfidence({ genes }: Pick<ReportPanel, 'genes'>): [confidence: Confidence, count: number][] {
  return (['green', 'amber', 'red', 'unrated'] as const).flatMap((confidence) => {
    const count = genes.filter((gene) => gene.confidence === confidence).length;
    return count === 0 ? [] : [[confidence, count]];
  });
}

// The service that the panels plugin offers, if it is enabled.

/** The key under which the panels plugin offers it. */
export const panelsKey = 'panels/versions@1';

/** Finds the service when it is used: the plugin need not be enabled. */
export type FindPanels = () => PanelsService | undefined;
