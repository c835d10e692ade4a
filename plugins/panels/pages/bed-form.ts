/** The form for the export of a version as BED. */
import { choice, type Html, html } from '../../../core/plugin.js';
import type { PanelHead } from '../contract.js';
import { builds, type Choice, choices } from '../exports/exons.js';
import { field, versionPath } from './frame.js';

const transcripts: Readonly<Record<Choice, string>> = {
  preferred: 'wanted by the panel, else preferred',
  mane: 'MANE Select and Plus Clinical',
  mane_select: 'MANE Select',
  mane_plus_clinical: 'MANE Plus Clinical',
  refseq_mrna: 'with a RefSeq mRNA',
  all: 'all',
};

export function bedForm({ panel, version }: Pick<PanelHead, 'panel' | 'version'>, base: string): Html {
  const options = (words: readonly string[]) => words.map((value) => ({ value, text: value }));
  return html`<form class="card row screen" method="get" action="${base}${versionPath(panel, version)}.bed">
${choice('build', 'Exons on', 'GRCh38', options(builds), 'bed-build')}
${choice(
  'transcripts',
  'Transcripts',
  'preferred',
  choices.map((value) => ({ value, text: transcripts[value] })),
)}
${choice('confidence', 'Genes', 'all', [
  { value: 'all', text: 'all' },
  { value: 'amber', text: 'without red' },
  { value: 'green', text: 'without red and amber' },
])}
${choice('chromosomes', 'Chromosomes', 'plain', [
  { value: 'plain', text: '1, X, MT' },
  { value: 'chr', text: 'chr1, chrX, chrM' },
])}
${field('padding', 'Bases on both sides', '20')}
<button class="second">Save as BED</button>
</form>`;
}
