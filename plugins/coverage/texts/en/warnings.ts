/** What must be known before the numbers are read, in English. */
import { number, plural } from './numbers.js';

export const warnings = {
  title: 'Please note',
  none: 'Nothing contradicts the files, the build or the genes asked for.',
  ofSamples: (samples: readonly string[], message: string) => `${samples.join(', ')}: ${message}`,
  notMeasured: {
    malformed: 'not the name of a gene',
    'no-genes-loaded': 'no genes are loaded for this build',
    unknown: 'unknown',
    'not-in-build': 'not among the genes of this build',
    ambiguous: 'may mean several genes',
    'no-transcripts': 'no transcript of the chosen kind',
    'no-exons': 'no exons are loaded',
  },
  notMeasuredTitle: (count: number) => `${plural(count, 'gene is', 'genes are')} not part of this report:`,
  renamed: (asked: string, symbol: string, by: string) => `${asked} is reported as ${symbol} (${by}).`,
  by: { previous: 'a previous symbol of it', alias: 'an alias of it' },
  sexMismatch: (sample: string, declared: string, found: string) =>
    `${sample}: declared ${declared}, but the depths of X and Y speak for ${found}.`,
  yOfFemale: (genes: string) =>
    `taken for female, so that Y is not expected to be covered. What is asked for on Y counts as incomplete all the same: ${genes}.`,
  /** In place of what measuring says, which is English; empty where that is as good. */
  measured: {
    'unknown-build': '',
    'contig-length': '',
    'missing-chromosome': '',
    'beyond-end': '',
    'lost-records': '',
    capped: '',
    'odd-file': '',
    'several-tracks': '',
    'little-evidence': '',
  },
  nothing: 'There is nothing to measure.',
  noMane: (build: string) => `The transcripts that are loaded for ${build} do not say that they are of MANE.`,
  pars: (build: string) => `Sex is told from X and Y without the pseudo-autosomal regions of ${build}.`,
  more: (count: number) => `and ${number(count)} more`,
  bedIgnoresGenes: 'The intervals are those of the BED file: genes that were named are not looked up.',
};
