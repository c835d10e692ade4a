/** What a report covers and what it cannot show, in English. */
import { english } from '../numbers.js';

const { number, plural } = english;

export const limits = {
  content: {
    genes: 'Genes of this report',
    genesCaption: 'Symbol, HGNC id, and the transcripts whose exons were measured.',
    codingCaption: 'Symbol, HGNC id, and the transcripts that were measured.',
    lines: 'Intervals of the BED file',
    linesCaption: 'Names in the fourth column, or coordinates.',
    countGenes: (count: number) => plural(count, 'gene', 'genes'),
    countLines: (names: number, lines: number) =>
      `${plural(names, 'name', 'names')} of ${plural(lines, 'interval', 'intervals')}`,
    manyNames: (lines: number) => plural(lines, 'interval', 'intervals'),
    furtherTranscripts: (count: number) => `${number(count)} more`,
    more: 'Not all are listed here; the CSV export of the intervals has all.',
    bed: 'BED file',
    bedText: (name: string | undefined, lines: string, checksum: string) =>
      [name, lines, checksum].filter(Boolean).join(', '),
  },

  title: 'Limitations: what a negative result does not exclude',
  statement: 'Coverage only',
  statementText: (depth: string) =>
    `This report states where the sequence was read often enough for variants to be found (minimum depth: ${depth}), not which variants were found. A negative result excludes only what the analysis detects, in the bases that were read often enough.`,
  below: (depth: string) => `Bases below ${depth}`,
  belowOf: (sample: string, bases: string, all: string, percent: string) =>
    `${sample}: ${bases} of ${all} bases (${percent})`,
  belowText: (list: string, depth: string) =>
    `${list}. Variants there may have been missed: see the regions below ${depth}.`,
  noneBelow: (depth: string) => `Every base of the intervals is at or above ${depth} in every sample.`,
  unmeasured: 'Requested, but not assessed',
  unmeasuredGenes: (list: string) => `Genes: ${list}.`,
  unmeasuredEntries: (list: string) => `Entries of the panel: ${list}.`,
  unmeasuredSamples: (list: string) => `Samples: ${list}.`,
  outside: 'Outside of the intervals',
  outsideOf: {
    genes:
      'The whole span of each listed gene was assessed, introns included. Regulatory regions outside of it and all other genes were not.',
    transcripts:
      'The exons of the listed transcripts were assessed, untranslated parts included. Introns, splice regions beyond the exons, regulatory regions, exons of other transcripts and all other genes were not.',
    exons:
      'The exons of the listed transcripts were assessed, untranslated parts included. Introns, splice regions beyond the exons, regulatory regions, exons of other transcripts and all other genes were not.',
    coding:
      'The coding bases of the listed transcripts were assessed, and the splice bases beside them that this report names; of non-coding genes the exons. Untranslated parts, other bases of introns, regulatory regions, other transcripts and all other genes were not.',
    custom_intervals: 'The intervals of the BED file were assessed, and no other base of any gene.',
  },
  kinds: 'What depth does not show',
  kindsText:
    'Deletions and duplications, inversions and other rearrangements, repeat expansions, mosaicism and low heteroplasmy, uniparental disomy, and changes of methylation may be present at any depth. Where a sequence has copies elsewhere in the genome (pseudogenes, segmental duplications), reads may belong to another copy, and whether such reads were counted depends on how the D4 file was made.',
  person: 'Whose sample it is',
  personText:
    'Depth shows neither the identity of a sample nor contamination. What is checked is the sex, if it was declared, and whether two samples of the report have one file.',
  known: 'Known pathogenic variants',
  knownNone: (build: string) =>
    `No set of known pathogenic variants is loaded for ${build}: this report does not say which of them could have been found.`,
  knownBed:
    'Reports on genes say which known pathogenic variants could have been found; a report on a BED file does not.',
  sampling: 'Sampling sensitivity by depth',
  samplingCaption: 'Of a heterozygous variant, by the number of reads that must show it. Defined in the explanations.',
  reads: 'Reads that must show it',
};
