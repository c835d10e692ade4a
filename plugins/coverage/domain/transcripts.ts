/** Which of a gene's transcripts are measured: one rule, which a request may override. */
import type { TranscriptWithExons } from '../contract.js';

/**
 * `preferred`: MANE Select; if a gene has none, MANE Plus Clinical; if none, those with a RefSeq mRNA; else all. The others
 * name one of these kinds, without falling back: `mane` is MANE Select and MANE Plus Clinical.
 */
export const transcriptChoices = [
  'preferred',
  'mane',
  'mane_select',
  'mane_plus_clinical',
  'refseq_mrna',
  'all',
] as const;
export type TranscriptChoice = (typeof transcriptChoices)[number];

type Kind = Exclude<TranscriptChoice, 'preferred'>;

const isOf: Readonly<Record<Kind, (transcript: TranscriptWithExons) => boolean>> = {
  mane: (transcript) => transcript.isManeSelect || transcript.isManePlusClinical,
  mane_select: ({ isManeSelect }) => isManeSelect,
  mane_plus_clinical: ({ isManePlusClinical }) => isManePlusClinical,
  refseq_mrna: ({ references }) => references.refseqMrna.length > 0,
  all: () => true,
};

const preference: readonly Kind[] = ['mane_select', 'mane_plus_clinical', 'refseq_mrna', 'all'];

/** The chosen transcripts of one gene, in their order. */
export function choose(
  transcripts: readonly TranscriptWithExons[],
  choice: TranscriptChoice,
): readonly TranscriptWithExons[] {
  for (const kind of choice === 'preferred' ? preference : [choice]) {
    const chosen = transcripts.filter(isOf[kind]);
    if (chosen.length > 0) return chosen;
  }
  return [];
}
