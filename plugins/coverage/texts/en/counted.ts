/** Which bases a page counts, in English. */
import { english } from '../numbers.js';

const { number, plural } = english;

export const counted = {
  label: 'Bases counted',
  fact: (splice: number) =>
    splice === 0
      ? 'coding bases with start and stop codon'
      : `coding bases with start and stop codon, and ${plural(splice, 'splice base', 'splice bases')} of the intron wherever a coding segment ends at one`,
  ofExons: (genes: string) => `non-coding, by their exons: ${genes}`,
  /** In place of the rule `preferred`. */
  preferred: 'MANE Select and MANE Plus Clinical, else RefSeq mRNA, else all',
  byDefault: (type: string) => `Default: ${type}`,
  unknown: (build: string) =>
    `The exons that are loaded for ${build} do not state which bases are coding. Load a GTF or GFF3 file (files of BioMart do not state it), or request exons.`,
  fellBack: (build: string) =>
    `Exons are counted instead of coding bases: the exons that are loaded for ${build} do not state which bases are coding. A GTF or GFF3 file does.`,
  open: (count: number) =>
    `${plural(count, 'transcript has', 'transcripts have')} an incomplete coding sequence in the gene set; the bases that are missing there are not counted:`,
  openEnds: { start: 'start missing', end: 'end missing', both: 'start and end missing' },
  title: 'Coding and splice bases',
  caption: (splice: number) =>
    `Coding bases include start and stop codon. Splice bases: up to ${number(splice)} of an intron at each end of a coding segment there, none in untranslated exons. Bases that transcripts share count once.`,
  column: 'Bases counted',
  kinds: {
    coding: 'Coding',
    splice: 'Splice',
    nonCoding: 'Exons of non-coding genes',
    together: 'Together',
  },
  nonCoding: 'non-coding',
  share: {
    coding: (share: string) => `coding ${share}`,
    exonic: (share: string) => `exonic ${share}`,
    withSplice: (share: string) => `with splice ${share}`,
  },
  belowTranscripts: (depth: string, splice: number) =>
    `In small print the percentage of the coding bases at or above ${depth}${splice === 0 ? '' : `, alone and with ${plural(splice, 'splice base', 'splice bases')} of introns beside them`}.`,
  below:
    'In small print the same percentage of the coding bases alone, and of all exonic bases of the same transcripts, untranslated parts included.',
  cohort: 'The coding and splice bases that this report counts are compared; of non-coding genes, their exons.',
};
