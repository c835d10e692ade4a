/** What the route and the command for the export as BED share. */
import { z } from 'zod';
import type { GeneStructures } from '../../services/coverage.js';
import type { PanelVersion } from '../contract.js';
import { type Confidence, parseContent } from '../domain/content.js';
import { bedOf, type PanelBed } from './bed.js';
import { builds, choices, exonsOf } from './exons.js';

/** Which genes are exported, by confidence; those that no source rated always are. */
const exported = {
  all: ['green', 'amber', 'red', 'unrated'],
  amber: ['green', 'amber', 'unrated'],
  green: ['green', 'unrated'],
} as const satisfies Record<string, readonly Confidence[]>;

const exportedConfidences = Object.keys(exported) as (keyof typeof exported)[];

const mostPadding = 10_000;
const paddingForm = `expected a whole number of bases up to ${mostPadding}`;

export const bedQuery = z.object({
  build: z.enum(builds, { error: `expected ${builds.join(' or ')}` }),
  padding: z.coerce
    .number({ error: paddingForm })
    .int(paddingForm)
    .min(0, paddingForm)
    .max(mostPadding, paddingForm)
    .default(0)
    .describe('Bases that are added on both sides of each exon.'),
  transcripts: z
    .enum(choices, { error: `expected ${choices.join(', ')}` })
    .default('preferred')
    .describe('preferred: those that the panel wants for a gene, else those by which reports measure it.'),
  confidence: z
    .enum(exportedConfidences, { error: `expected ${exportedConfidences.join(', ')}` })
    .default('all')
    .describe('amber: without red genes; green: without amber ones, too. Those left out are listed.'),
  chromosomes: z
    .enum(['plain', 'chr'], { error: 'expected plain or chr' })
    .default('plain')
    .describe('plain: 1, X, MT; chr: chr1, chrX, chrM.'),
});
export type BedQuery = z.output<typeof bedQuery>;

/** Throws an `unavailable` fault if there are no positions of genes. */
export async function panelBed(
  version: PanelVersion,
  { build, padding, transcripts: choice, confidence, chromosomes }: BedQuery,
  made: { structures: GeneStructures | undefined; signal: AbortSignal; software: string; now: Date },
): Promise<PanelBed> {
  const { structures, signal, ...written } = made;
  const content = parseContent(version.content);
  const wanted: readonly Confidence[] = exported[confidence];
  const genes = content.genes.filter((gene) => wanted.includes(gene.confidence));
  const exons = await exonsOf(structures, genes, { build, choice, signal });
  return bedOf(version, content, genes, exons, { build, choice, padding, prefixed: chromosomes === 'chr', ...written });
}
