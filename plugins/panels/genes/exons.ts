/** The exons of a panel's genes, from the coverage plugin's interval sets. */
import { Fault } from '../../../core/plugin.js';
import type { GeneExons, GeneStructures, MissingGene } from '../../services/coverage.js';
import type { PanelGene } from '../versions/content.js';

/** The key under which the coverage plugin offers them. */
export const geneStructuresKey = 'coverage/gene-structures@1';

export const builds = ['GRCh37', 'GRCh38'] as const;
export type ExonBuild = (typeof builds)[number];

/**
 * `preferred`: the transcripts that the panel wants for a gene; if it wants none that is loaded, those by which reports measure
 * it. The others are the same for every gene, whatever the panel wants.
 */
export const choices = ['preferred', 'mane', 'mane_select', 'mane_plus_clinical', 'refseq_mrna', 'all'] as const;
export type ExonChoice = (typeof choices)[number];

export interface ExonRequest {
  build: ExonBuild;
  choice: ExonChoice;
  signal: AbortSignal;
}

/** Throws an `unavailable` fault without the coverage plugin, or if no genes are loaded for the build. */
export async function exonsOfGenes(
  structures: GeneStructures | undefined,
  genes: readonly Pick<PanelGene, 'hgnc' | 'transcripts'>[],
  { build, ...options }: ExonRequest,
): Promise<GeneExons> {
  if (structures === undefined) {
    throw new Fault('unavailable', 'Positions of genes are those of the plugin coverage, which is not enabled');
  }
  const wanted = genes.map(({ hgnc, transcripts }) => ({ hgnc, ...(transcripts && { transcripts }) }));
  const found = await structures.exonsOf(build, wanted, options);
  if (found.missing.some(({ reason }) => reason === 'no-genes-loaded')) {
    throw new Fault('unavailable', `No genes of ${build} are loaded: see \`trefoil coverage load-gtf --help\``);
  }
  return found;
}

const reasons: Readonly<Record<MissingGene, (build: ExonBuild) => string>> = {
  'no-genes-loaded': (build) => `no genes of ${build} are loaded`,
  malformed: (build) => `not among the genes of ${build}`,
  unknown: (build) => `not among the genes of ${build}`,
  'no-transcripts-loaded': (build) => `no transcripts of ${build} are loaded`,
  'unknown-transcript': (build) => `not among the transcripts of ${build}`,
  'not-in-build': (build) => `not among the genes of ${build}`,
  ambiguous: (build) => `several genes of ${build}`,
  'no-transcripts': (build) => `no transcript of the chosen kind on ${build}`,
  'no-exons': (build) => `no exons on ${build}`,
};

/** Why a gene has no exons: `not among the genes of GRCh38`. */
export function reasonOfMissingGene(reason: MissingGene, build: ExonBuild): string {
  return reasons[reason](build);
}
