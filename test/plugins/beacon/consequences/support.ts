/** Alleles with annotations, as a load publishes them. */
import type {
  Allele,
  AnnotatedAllele,
  AnnotationSource,
  ConsequenceRepository,
  GeneConsequence,
  TranscriptConsequence,
} from '../../../../plugins/beacon/contract.js';

export const vep: AnnotationSource = { annotator: 'VEP', version: 'v110', databases: {} };

/** What an allele does to one gene, on the transcript of MANE Select. */
export function atGene(
  gene: { hgnc?: number; symbol?: string },
  terms: readonly string[],
  more: Partial<TranscriptConsequence> = {},
): GeneConsequence {
  return { ...gene, transcripts: [{ choice: 'mane-select', terms, ...more }] };
}

export function annotated(
  allele: Allele,
  genes: readonly GeneConsequence[],
  more: Partial<AnnotatedAllele> = {},
): AnnotatedAllele {
  return { allele, genes, source: vep, ...more };
}

/** Publishes annotations of alleles of a dataset. */
export async function annotate(
  consequences: ConsequenceRepository,
  dataset: string,
  alleles: readonly AnnotatedAllele[],
): Promise<void> {
  const now = new Date();
  const load = await consequences.begin(dataset, [], now);
  await consequences.stage(load, alleles, now);
  await consequences.complete(load);
  await consequences.publish(dataset, await consequences.waiting(dataset), now);
}
