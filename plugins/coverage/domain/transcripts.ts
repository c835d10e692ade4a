/** Which of a gene's transcripts are measured: one rule, which a request may override. */
import type { UnmetTranscript } from '../../services/coverage.js';
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
/** Of coding bases: what only the transcripts of MANE Plus Clinical have is measured beside those of MANE Select. */
const codingPreference: readonly Kind[] = ['mane', 'refseq_mrna', 'all'];

/**
 * The transcripts of one gene that were named: by Ensembl or RefSeq id, with or without version. A version that is not loaded is
 * replaced by the one that is. Versions of Ensembl ids are not stored: with one, the transcript is measured and listed as unmet.
 */
export function chooseNamed(
  transcripts: readonly TranscriptWithExons[],
  names: readonly string[],
): { chosen: TranscriptWithExons[]; unmet: UnmetTranscript[] } {
  const chosen = new Set<TranscriptWithExons>();
  const unmet: UnmetTranscript[] = [];
  for (const wanted of names) {
    const [id, version] = idAndVersion(wanted);
    const found = transcripts.flatMap((transcript) =>
      namesOf(transcript)
        .filter((name) => idAndVersion(name)[0] === id)
        .map((name) => ({ transcript, name })),
    );
    const same = found.filter(({ name }) => idAndVersion(name)[1] === version);
    const used = version === undefined || same.length === 0 ? found : same;
    for (const { transcript } of used) chosen.add(transcript);
    const loaded = used.find(({ name }) => idAndVersion(name)[1] !== undefined) ?? used[0];
    if (loaded === undefined) unmet.push({ wanted });
    else if (version !== undefined && same.length === 0) unmet.push({ wanted, loaded: loaded.name });
  }
  return { chosen: transcripts.filter((one) => chosen.has(one)), unmet };
}

function namesOf({ ensembl, references }: TranscriptWithExons): string[] {
  return [ensembl, ...Object.values(references).flat()];
}

function idAndVersion(name: string): readonly [id: string, version: string | undefined] {
  const [, id = '', version] = /^(.*?)(?:\.(\d+))?$/s.exec(name.trim().toUpperCase()) ?? [];
  return [id, version];
}

/** The chosen transcripts of one gene, in their order. */
export function choose(
  transcripts: readonly TranscriptWithExons[],
  choice: TranscriptChoice,
  ofCoding = false,
): readonly TranscriptWithExons[] {
  const preferred = ofCoding ? codingPreference : preference;
  for (const kind of choice === 'preferred' ? preferred : [choice]) {
    const chosen = transcripts.filter(isOf[kind]);
    if (chosen.length > 0) return chosen;
  }
  return [];
}
