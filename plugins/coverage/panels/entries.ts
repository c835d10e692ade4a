/** What became of each entry of a panel in a report on genes. */
import type { Confidence, PanelGeneOfReport } from '../../services/panels.js';
import type { NotMeasured, Selection } from '../domain/select.js';
import { geneId, isReported, type ReportPanel } from './panel.js';

/** What was measured for a request, of its panel and of the genes that it lists. */
export interface PanelUse {
  panel?: ReportPanel | undefined;
  request: { readonly genes: readonly string[] };
  found: Selection['found'];
  notMeasured: readonly NotMeasured[];
  unmet: Selection['unmet'];
}

/** An entry that the report does not cover. */
export interface UncoveredEntry {
  /** `unmapped`: an entry of a draft for which no gene is certain. */
  kind: 'gene' | 'region' | 'str' | 'unmapped';
  name: string;
  hgnc?: number;
  /** As the panel's source writes it. */
  place?: string;
  why:
    | { code: NotMeasured['reason']; candidates?: readonly string[] }
    | { code: 'confidence'; confidence: Confidence }
    /** Regions and short tandem repeats. */
    | { code: 'not-a-gene' }
    | { code: 'unmapped'; text: string };
}

/** Genes first, each kind in the order of the panel. */
export function uncoveredEntries({ panel, notMeasured }: Pick<PanelUse, 'panel' | 'notMeasured'>): UncoveredEntry[] {
  if (panel === undefined) return [];
  const missing = new Map(notMeasured.map((one) => [one.asked, one]));
  return [
    ...panel.genes.flatMap((gene) => {
      const why = whyNot(gene, panel, missing.get(geneId(gene)));
      return why === undefined ? [] : [{ kind: 'gene' as const, name: gene.symbol, hgnc: gene.hgnc, why }];
    }),
    ...panel.others.map((other) => ({ ...other, why: { code: 'not-a-gene' as const } })),
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
  missing: NotMeasured | undefined,
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
