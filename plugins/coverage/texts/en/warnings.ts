/** Quality warnings and notes above the numbers, in English. */
import { english } from '../numbers.js';

const { listed, number, plural } = english;

export const warnings = {
  title: 'Please note',
  none: 'No warnings about files or samples; coverage is not judged here.',
  sexNotChecked: (samples: readonly string[]) =>
    `The sex of ${samples.join(', ')} was not checked: it is not declared, or X and Y do not predict it.`,
  ofSamples: (samples: readonly string[], message: string) => `${samples.join(', ')}: ${message}`,
  notMeasured: {
    malformed: 'not a gene name',
    'no-genes-loaded': 'no genes are loaded for this build',
    unknown: 'not in the gene set that is loaded',
    'not-in-build': 'not among the genes of this build',
    ambiguous: 'matches several genes',
    'no-transcripts-loaded': 'no transcripts are loaded for this build',
    'unknown-transcript': 'not among the transcripts of this build',
    'no-transcripts': 'no transcript of the chosen kind',
    'no-exons': 'no exons are loaded',
  },
  notMeasuredTitle: (count: number) => `${plural(count, 'gene', 'genes')} could not be included:`,
  renamed: (asked: string, symbol: string, by: string) => `${asked} is reported as ${symbol} (${by}).`,
  by: { previous: 'previous symbol', alias: 'alias' },
  sexMismatch: (sample: string, declared: string, found: string) =>
    `${sample}: declared ${declared}, predicted ${found}. Possible causes are swapped samples, a wrong declaration, or an ` +
    'aneuploidy of X or Y.',
  /** `isDoubted`: another sex is declared. */
  yOfFemale: (genes: string, isDoubted: boolean) =>
    `${isDoubted ? 'Predicted' : 'Sex:'} female. Genes on Y are not expected to be covered and count as incomplete: ${genes}.`,
  sharedReads: (genes: string) =>
    `There is depth in the pseudoautosomal regions of Y, at the copies of ${genes}. Probably the reference was not masked, ` +
    'reads were shared between X and Y, and the depths on X are too low.',
  sameFile: {
    whole: (samples: readonly string[]) => `The same file was given for ${listed(samples)}: were samples mixed up?`,
    parts: (samples: readonly string[]) =>
      `The files of ${listed(samples)} have the same size and agree in all parts that were compared, so they are probably ` +
      'the same file: were samples mixed up?',
  },
  /** Replaces the message of a warning, which is English; empty if that message is used. */
  measured: {
    'unknown-build': '',
    'contig-length': '',
    'missing-chromosome': '',
    'beyond-end': '',
    'lost-records': '',
    capped: '',
    'possibly-capped': '',
    'odd-file': '',
    'several-tracks': '',
    'little-evidence': '',
    'sex-mismatch': '',
    'sex-contradiction': '',
    'changed-file': '',
    'female-y': '',
    'shared-reads': '',
    'other-gene': '',
    'other-transcript': '',
    'same-file': '',
    'no-genes': '',
    'not-included': '',
  },
  nothing: 'There is nothing to measure.',
  noMane: (build: string) => `No transcript that is loaded for ${build} is marked as MANE.`,
  pars: (build: string) => `Sex is predicted from X and Y outside the pseudoautosomal regions of ${build}.`,
  more: (count: number) => `and ${number(count)} more`,
  bedIgnoresGenes: 'The intervals come from the BED file; the gene list is not used.',
};
